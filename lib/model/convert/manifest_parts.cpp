// Takes manifest.json apart without understanding it.
#include "model/convert/manifest_parts.h"

#include "formats/atf/file_bytes.h"
#include "formats/atf/json_repair.h"
#include "model/json_string.h"

#include <array>
#include <simdjson.h>

namespace ada::model {

namespace dom = simdjson::dom;

static void addMember(std::string &object, std::string_view key,
                      const dom::element &value) {
  object += object.empty() ? "{" : ",";
  object += jsonString(key);
  object += ':';
  object += simdjson::minify(value);
}

// What model::Thread has, or what the converted files know better.
static bool isKnownOfThread(std::string_view key) {
  static constexpr std::array<std::string_view, 8> kKnown = {
      "id",          "has_detail",   "tid",           "name",
      "event_count", "detail_count", "time_start_ns", "time_end_ns"};
  return std::find(kKnown.begin(), kKnown.end(), key) != kKnown.end();
}

ManifestParts ManifestParts::read(const std::string &path) {
  ManifestParts parts;
  auto file = atf::FileBytes::open(path);
  if (!file)
    return parts;
  const auto bytes = file->bytes();
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                              bytes.size());
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
  for (const dom::key_value_pair field : root) {
    if (field.key == "symbols") {
      parts.symbols = simdjson::minify(field.value);
      continue;
    }
    if (field.key != "threads") {
      addMember(parts.description, field.key, field.value);
      continue;
    }
    dom::array threads;
    if (field.value.get(threads))
      continue;
    for (const dom::element &entry : threads) {
      dom::object thread;
      std::uint64_t id;
      if (entry.get(thread) || thread["id"].get(id))
        continue;
      std::string rest;
      for (const dom::key_value_pair member : thread)
        if (!isKnownOfThread(member.key))
          addMember(rest, member.key, member.value);
      if (!rest.empty())
        parts.threads.emplace(id, rest + "}");
    }
  }
  if (!parts.description.empty())
    parts.description += '}';
  return parts;
}

std::string ManifestParts::threadDescription(std::uint64_t number) const {
  const auto found = threads.find(number);
  return found == threads.end() ? std::string() : found->second;
}

} // namespace ada::model
