// Parses JSON, and reads values.
#include "json_document.h"

#include "json_repair.h"

#include <charconv>

namespace ada {

simdjson::error_code JsonDocument::parse(std::string_view json) {
  object_.reset();
  if (json.empty())
    return simdjson::EMPTY; // its parser would copy from a null pointer
  dom::element root;
  auto error = parser_.parse(json.data(), json.size()).get(root);
  if (error)
    if (const std::string repaired = repairJson(json); repaired != json) {
      error = parser_.parse(repaired).get(root);
      isRepaired_ = !error;
    }
  if (dom::object object; !error && !root.get(object))
    object_ = object;
  return error;
}

bool take(dom::element value, uint64_t &to) {
  if (!value.get(to))
    return true;
  std::string_view text;
  if (value.get(text) || (!text.starts_with("0x") && !text.starts_with("0X")))
    return false;
  uint64_t number = 0;
  const char *const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 2, end, number, 16);
  if (error != std::errc() || stop != end)
    return false;
  to = number;
  return true;
}

bool take(dom::element value, int64_t &to) { return !value.get(to); }
bool take(dom::element value, bool &to) { return !value.get(to); }
bool take(dom::element value, std::string_view &to) { return !value.get(to); }
bool take(dom::element value, std::string &to) {
  std::string_view text;
  const bool isText = take(value, text);
  if (isText)
    to = text;
  return isText;
}

static std::string asText(dom::element value) {
  std::string_view text;
  return take(value, text) ? std::string(text) : std::string(simdjson::minify(value));
}

bool take(dom::element value, std::vector<std::string> &to) {
  dom::array elements;
  if (value.get(elements))
    return false;
  for (const dom::element element : elements)
    to.push_back(asText(element));
  return true;
}

bool take(dom::element value, std::vector<std::pair<std::string, std::string>> &to) {
  dom::object members;
  if (value.get(members))
    return false;
  to.reserve(members.size()); // a session may have ten thousand manifests, with some 30 options each
  for (const dom::key_value_pair member : members)
    to.emplace_back(member.key, asText(member.value));
  return true;
}

bool take(dom::element value, std::map<std::string, uint64_t> &to) {
  dom::object members;
  if (value.get(members))
    return false;
  for (const dom::key_value_pair member : members)
    if (uint64_t count; !member.value.get(count))
      to[std::string(member.key)] += count;
  return true;
}

} // namespace ada
