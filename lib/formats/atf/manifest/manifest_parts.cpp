// Splits manifest.json into parts without interpreting them.
#include "manifest_parts.h"

#include "base/file_bytes.h"
#include "base/json.h"
#include "json_repair.h"
#include "shared/manifest_keys.h"

#include <algorithm>
#include <simdjson.h>

namespace ada::model {

namespace dom = simdjson::dom;

// Keys whose values model::Thread has, or that the converted files determine themselves.
static bool isKnownOfThread(std::string_view key) {
  static constexpr std::string_view kKnown[] = {manifest::kId,          manifest::kHasDetail,  manifest::kTid,
                                                manifest::kName,        manifest::kEventCount, manifest::kDetailCount,
                                                manifest::kTimeStartNs, manifest::kTimeEndNs};
  return std::ranges::find(kKnown, key) != std::end(kKnown);
}

ManifestParts ManifestParts::read(const std::string &path) {
  ManifestParts parts;
  auto file = FileBytes::open(path);
  if (!file)
    return parts;
  const auto bytes = file->holes().before(file->bytes());
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  dom::parser parser;
  dom::object root;
  dom::element parsed;
  std::string repaired;
  if (parser.parse(text.data(), text.size()).get(parsed)) {
    repaired = repairJson(text);
    if (parser.parse(repaired.data(), repaired.size()).get(parsed))
      return parts;
  }
  if (parsed.get(root))
    return parts;
  JsonMembers description;
  for (const dom::key_value_pair field : root) {
    if (field.key == manifest::kSymbols) {
      parts.symbols = simdjson::minify(field.value);
      continue;
    }
    if (field.key != manifest::kThreads) {
      description.json(field.key, simdjson::minify(field.value));
      continue;
    }
    dom::array threads;
    if (field.value.get(threads))
      continue;
    for (const dom::element &entry : threads) {
      dom::object thread;
      uint64_t id;
      if (entry.get(thread) || thread[manifest::kId].get(id))
        continue;
      JsonMembers rest;
      for (const dom::key_value_pair member : thread)
        if (!isKnownOfThread(member.key))
          rest.json(member.key, simdjson::minify(member.value));
      if (!rest.list().empty())
        parts.threads.emplace(id, rest.object());
    }
  }
  if (!description.list().empty())
    parts.description = description.object();
  return parts;
}

std::string ManifestParts::threadDescription(uint64_t number) const {
  const auto found = threads.find(number);
  return found == threads.end() ? std::string() : found->second;
}

} // namespace ada::model
