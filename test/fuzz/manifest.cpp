// Fuzzes the reader of manifest.json.
//
// Properties: a manifest that is read keeps its guarantees (thread ids that can be
// put into a path, each once; a function name for every id, on one line); a manifest
// that is cut off is an error, never half a manifest; and memory is bounded by the
// input.
#include "require.h"

#include "ada/trace/manifest.h"

#include <set>

using namespace ada;
using ada::fuzz::require;

static void use(const Manifest &manifest) {
  std::set<uint64_t> ids;
  for (const ManifestThread &thread : manifest.threads)
    require(thread.id <= UINT32_MAX && ids.insert(thread.id).second, "threads have a number each");
  for (const Symbol &symbol : manifest.ownSymbols()) {
    const std::optional<Symbol> found = manifest.find(symbol.functionId);
    require(found && found->functionId == symbol.functionId, "every symbol is found");
    require(!manifest.displayName(symbol.functionId).empty() && !manifest.shortDisplayName(symbol.functionId).empty(),
            "every symbol has a name");
    (void)manifest.moduleOfFunction(symbol.functionId);
  }
  for (uint64_t id : {uint64_t{0}, ~uint64_t{0}})
    require(!manifest.displayName(id).empty(), "every id has a name");
  for (const Warning &warning : manifest.warnings)
    require(!warning.message.empty(), "warnings say what they are");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  bool isRead = false;
  require(fuzz::peakOf([&] {
            auto manifest = Manifest::parse(text, "manifest.json");
            isRead = static_cast<bool>(manifest);
            if (!manifest)
              require(manifest.error().code == "E_BAD_MANIFEST" && !manifest.error().message.empty(),
                      "errors say what they are");
          }) <= 120 * size + (64 << 10),
          "memory is bounded by the input");
  if (!isRead)
    return 0;
  use(*Manifest::parse(text, "manifest.json"));

  // Up to the closing brace.
  const size_t cut = text.rfind('}') * data[size / 2] / 256;
  require(!Manifest::parse(text.substr(0, cut)), "a manifest that is cut off is an error");
  return 0;
}
