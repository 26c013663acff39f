// Builds a manifest.json from the model.
#include "formats/native/manifest/manifest_text.h"

#include "ada/trace/event.h"
#include "formats/native/directories.h"
#include "formats/native/manifest/binaries.h"
#include "formats/native/manifest/symbol_entries.h"
#include "shared/manifest_keys.h"
#include "shared/text/base64.h"
#include "trace/base/file_bytes.h"
#include "trace/base/format.h"
#include "trace/base/json_document.h"
#include "trace/base/json_object.h"
#include "trace/base/safe_file.h"
#include "trace/names.h"

#include <algorithm>

namespace ada::formats {

namespace {

struct SymbolPlace {
  uint64_t functionId, moduleId, symbolIndex;
};

} // namespace

ManifestText::ManifestText(const model::Process &process)
    : description_(process.description.get()), allSymbols_(process.symbols.get()), pid_(process.pid),
      executable_(process.executable), clockType_(process.clockType) {}

void ManifestText::addSymbol(const model::Function &function) {
  // A function that its own manifest did not know gets no name here either.
  if (!allSymbols_.empty() || (function.name.empty() && function.displayName.empty()))
    return;
  if (function.name.empty() && function.displayName == functionIdText(function.id))
    return;
  modules_.insert(moduleOf(function.id));
  symbols_.line();
  FieldWriter(symbols_).object({}, atf::entryOf(function), [](auto &f, auto &entry) {
    manifest::symbolIds(f, entry.ids);
    manifest::symbolFields(f, entry);
  });
}

std::vector<std::string> ManifestText::binaries() const {
  std::vector<std::string> names;
  const JsonDocument document(description_);
  if (document.object())
    eachObject(*document.object(), manifest::kModules, [&](const dom::object &module) {
      std::string_view name;
      if (!module[manifest::kBinary].get(name) && atf::Binaries::isName(name))
        names.emplace_back(name);
    });
  return names;
}

// The symbol as a manifest has it: with ids, and the address in this process.
static std::string symbolIn(const ManifestModule &module, uint64_t index, const dom::object &symbol) {
  const SymbolPlace place = {makeFunctionId(static_cast<uint32_t>(module.id), static_cast<uint32_t>(index)), module.id,
                             index};
  JsonMembers ids;
  FieldWriter(ids).object({}, place, [](auto &f, auto &to) { manifest::symbolIds(f, to); });
  JsonObject json(ids.list());
  JsonObject known(symbol);
  dom::element address;
  if (uint64_t distance = 0; !symbol[manifest::kAddress].get(address) && take(address, distance))
    known.set(manifest::kAddress, fmt::format("\"{:#x}\"", module.baseAddress + distance));
  json.addMissing(std::move(known));
  return json.text();
}

void ManifestText::takeBinaries(const std::string &folder) {
  JsonObject description(description_);
  JsonMembers symbols, modules;
  const JsonDocument document(description_);
  if (!document.object())
    return;
  eachObject(*document.object(), manifest::kModules, [&](const dom::object &entry) {
    JsonObject json(entry);
    ManifestModule module;
    if (FieldReader::read(entry, module, [](auto &f, auto &to) { manifest::moduleFields(f, to); }) &&
        atf::Binaries::isName(module.binary) && module.id <= UINT32_MAX)
      if (const auto file = FileBytes::open(atf::Binaries(folder).pathOf(module.binary))) {
        const auto bytes = file->bytes();
        const JsonDocument binary(std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
        dom::array all;
        if (binary.object() && !(*binary.object())[manifest::kSymbols].get(all)) {
          uint64_t index = 0;
          for (const dom::element element : all) {
            if (dom::object symbol; !element.get(symbol))
              symbols.line().json({}, symbolIn(module, index, symbol));
            ++index;
          }
          json.erase(manifest::kBinary);
        }
      }
    modules.json({}, json.text());
  });
  JsonObject all;
  all.set(manifest::kSymbols, allSymbols_);
  all.append(manifest::kSymbols, symbols.list());
  allSymbols_ = *all.find(manifest::kSymbols);
  description.erase(manifest::kModules);
  description.append(manifest::kModules, modules.list());
  description_ = description.text();
}

void ManifestText::addThread(const model::Thread &thread, std::string_view sched, uint64_t events, uint64_t details,
                             uint64_t inferred, uint64_t minTimeNs, uint64_t maxTimeNs) {
  ManifestThread known;
  known.id = thread.number, known.tid = thread.tid, known.name = thread.name;
  known.hasDetail = details > 0, known.eventCount = events, known.detailCount = details;
  known.timeStartNs = minTimeNs, known.timeEndNs = maxTimeNs;
  JsonObject json;
  json.update(known, [](auto &f, auto &t) { manifest::convertedThreadFields(f, t); });
  if (inferred > 0) // files that have a count instead of exits keep the count
    json.set(manifest::kInferredCount, std::to_string(inferred));
  json.addMissing(JsonObject(thread.description.get()));
  if (!sched.empty()) {
    std::string text;
    putBase64(reinterpret_cast<const unsigned char *>(sched.data()), sched.size(), [&](char c) { text += c; });
    json.set(manifest::kSchedAds, jsonString(text));
  }
  inferred_ += inferred;
  threads_.line().json({}, json.text());
  if (events) {
    startNs_ = std::min(startNs_, minTimeNs);
    endNs_ = std::max(endNs_, maxTimeNs);
  }
}

Expected<void> ManifestText::write(const std::string &path) const {
  JsonObject json;
  json.set(manifest::kFormatVersion, jsonString("2.2"));
  json.set(manifest::kTimeStartNs, std::to_string(startNs_ > endNs_ ? 0 : startNs_));
  json.set(manifest::kTimeEndNs, std::to_string(endNs_));
  json.set(manifest::kClockType, std::to_string(clockType_));
  if (inferred_ > 0)
    json.set(manifest::kInferredCount, std::to_string(inferred_));
  json.addMissing(JsonObject(description_));
  json.erase(manifest::kThreads), json.erase(manifest::kSymbols);
  if (!json.find(manifest::kModules)) {
    JsonMembers modules;
    for (const uint64_t id : modules_) { // of a trace that has functions but no modules
      ManifestModule module;
      module.id = id, module.path = id == 0 ? executable_ : std::string();
      module.uuid = "00000000-0000-0000-0000-000000000000";
      FieldWriter(modules).object({}, module, [](auto &f, auto &m) { manifest::moduleFields(f, m); });
    }
    json.append(manifest::kModules, modules.list());
  }
  if (!json.find(manifest::kProcess) && (pid_ || !executable_.empty())) {
    JsonMembers process;
    if (pid_)
      process.number(manifest::kPid, *pid_);
    json.set(manifest::kProcess, process.text(manifest::kExecutable, executable_).object());
  }
  std::string text = json.text();
  text.pop_back(); // the closing brace
  JsonMembers rest;
  rest.line().json(manifest::kThreads, "[" + threads_.list() + "]");
  rest.line().json(manifest::kSymbols, allSymbols_.empty() ? "[" + symbols_.list() + "]" : allSymbols_);
  text += "," + rest.list() + "}\n";
  const auto parent = canonicalPath(atf::parentPath(path));
  return parent ? replaceFile(atf::joinPath(*parent, atf::baseName(path)), text) : Expected<void>(parent.error());
}

} // namespace ada::formats
