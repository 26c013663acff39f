// Splits manifest.json into parts without interpreting them.
#include "formats/native/manifest/manifest_parts.h"

#include "ada/trace/manifest.h"
#include "shared/manifest_keys.h"
#include "trace/base/file_bytes.h"
#include "trace/base/json_document.h"
#include "trace/base/json_object.h"

namespace ada::formats {

ManifestParts ManifestParts::read(const std::string &path) {
  ManifestParts parts;
  auto file = FileBytes::open(path);
  if (!file)
    return parts;
  const auto bytes = file->holes().before(file->bytes());
  const JsonDocument document(std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  if (!document.object())
    return parts;
  JsonObject description(*document.object());
  if (const std::string *symbols = description.find(manifest::kSymbols))
    parts.symbols = *symbols;
  description.erase(manifest::kSymbols), description.erase(manifest::kThreads);
  // A manifest of the runtime begins with this, also if nothing was lost.
  if (const std::string *found = description.find(manifest::kDropped)) {
    const std::string dropped = *found;
    description.erase(manifest::kDropped);
    if (dropped != JsonMembers().number(manifest::kAfterEndReason, 0).object())
      description.set(manifest::kDropped, dropped);
  }
  if (!description.empty())
    parts.description = description.text();
  eachObject(*document.object(), manifest::kThreads, [&](const dom::object &thread) {
    uint64_t id;
    if (thread[manifest::kId].get(id))
      return;
    JsonObject rest(thread);
    const auto erase = [&](std::string_view key, const auto &) { rest.erase(key); };
    ManifestThread any;
    manifest::convertedThreadFields(erase, any);
    rest.erase(manifest::kSchedAds); // the thread's lane has what it says
    if (!rest.empty())
      parts.threads.emplace(id, rest.text());
  });
  return parts;
}

std::string ManifestParts::threadDescription(uint64_t number) const {
  const auto found = threads.find(number);
  return found == threads.end() ? std::string() : found->second;
}

} // namespace ada::formats
