// JSON in a std::string.
#pragma once

#include "shared/text/json.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace ada {

/// `text` in quotes, escaped: see putJsonString().
inline void appendJsonString(std::string &out, std::string_view text, bool asciiOnly = false) {
  putJsonString(text, [&out](const char *bytes, size_t size) { out.append(bytes, size); }, asciiOnly);
}
inline std::string jsonString(std::string_view text) {
  std::string json;
  json.reserve(text.size() + 2);
  appendJsonString(json, text);
  return json;
}

/// Appends JSON to a string; JsonStructure has the members.
class JsonText : public JsonStructure<JsonText> {
public:
  explicit JsonText(std::string &out, bool asciiOnly = false) : out_(out) { isAscii_ = asciiOnly; }
  void put(const char *bytes, size_t size) { out_.append(bytes, size); }
  /// The shortest number that reads back as the same; JSON has no infinity or NaN, which become strings.
  JsonText &real(TextPiece name, double value) {
    char digits[32];
    const char *end = std::to_chars(digits, std::end(digits), value).ptr;
    const TextPiece written(digits, static_cast<size_t>(end - digits));
    return std::isfinite(value) ? json(name, written) : text(name, written);
  }

private:
  std::string &out_;
};

/// Members of an object, or elements of an array, without the enclosing brackets.
class JsonMembers : public JsonStructure<JsonMembers> {
public:
  void put(const char *bytes, size_t size) { text_.append(bytes, size); }
  using JsonStructure::number;
  template <class Integer> JsonMembers &number(TextPiece name, std::optional<Integer> value) {
    return value ? number(name, *value) : null(name);
  }
  template <class List> JsonMembers &texts(TextPiece name, const List &values) {
    beginArray(name);
    for (const auto &value : values)
      text({}, value);
    return endArray();
  }
  const std::string &list() const { return text_; }
  std::string object() const { return "{" + text_ + "}"; }

private:
  std::string text_;
};

} // namespace ada
