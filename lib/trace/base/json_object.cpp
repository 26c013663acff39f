// Changes members of a JSON object.
#include "json_object.h"

#include "json_document.h"
#include "nested_json.h"

#include <algorithm>

namespace ada {

JsonObject::JsonObject(std::string_view json) {
  const JsonDocument document(cutNesting(json, kMaxNesting));
  if (const dom::object *object = document.object())
    *this = JsonObject(*object);
}

JsonObject::JsonObject(const dom::object &object) {
  for (const dom::key_value_pair member : object)
    members_.emplace_back(member.key, simdjson::minify(member.value));
}

const std::string *JsonObject::find(std::string_view key) const {
  const auto found =
      std::ranges::find(members_, key, [](const auto &member) { return std::string_view(member.first); });
  return found == members_.end() ? nullptr : &found->second;
}

void JsonObject::set(std::string_view key, std::string json) {
  const auto found =
      std::ranges::find(members_, key, [](const auto &member) { return std::string_view(member.first); });
  if (found == members_.end())
    members_.emplace_back(key, std::move(json));
  else
    found->second = std::move(json);
}

void JsonObject::erase(std::string_view key) {
  std::erase_if(members_, [&](const auto &member) { return member.first == key; });
}

void JsonObject::append(std::string_view key, std::string_view elements) {
  const std::string *const now = find(key);
  std::string array = now && now->starts_with('[') ? now->substr(0, now->size() - 1) : "[";
  if (array.size() > 1 && !elements.empty())
    array += ',';
  set(key, array.append(elements) + ']');
}

void JsonObject::addMissing(JsonObject more) {
  for (auto &[key, value] : more.members_)
    if (!find(key))
      members_.emplace_back(key, std::move(value));
}

std::string JsonObject::text() const {
  JsonMembers all;
  for (const auto &[key, value] : members_)
    all.json(key, value);
  return all.object();
}

} // namespace ada
