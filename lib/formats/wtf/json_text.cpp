// JSON as text: a scanner with a bit stack instead of recursion, and functions that are built on it.
#include "json_text.h"

#include "text.h"

#include <cstdint>
#include <vector>

namespace ada::wtf::json {
namespace {

constexpr size_t kBad = std::string_view::npos;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

size_t skipBlanks(std::string_view text, size_t pos) {
  while (pos < text.size() && (text[pos] == ' ' || text[pos] == '\t' || text[pos] == '\n' || text[pos] == '\r'))
    ++pos;
  return pos;
}

int hexDigit(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

/// Skips from the opening quote to after the closing one.
size_t skipString(std::string_view text, size_t pos) {
  if (pos >= text.size() || text[pos] != '"')
    return kBad;
  for (++pos; pos < text.size(); ++pos) {
    const char c = text[pos];
    if (c == '"')
      return pos + 1;
    if (static_cast<unsigned char>(c) < 0x20)
      return kBad;
    if (c != '\\')
      continue;
    if (++pos >= text.size())
      return kBad;
    if (text[pos] == 'u') {
      for (int digit = 0; digit < 4; ++digit)
        if (++pos >= text.size() || hexDigit(text[pos]) < 0)
          return kBad;
    } else if (std::string_view("\"\\/bfnrt").find(text[pos]) == kBad) {
      return kBad;
    }
  }
  return kBad;
}

size_t skipDigits(std::string_view text, size_t pos) {
  const size_t start = pos;
  while (pos < text.size() && isDigit(text[pos]))
    ++pos;
  return pos == start ? kBad : pos;
}

size_t skipNumber(std::string_view text, size_t pos) {
  if (pos < text.size() && text[pos] == '-')
    ++pos;
  if (pos < text.size() && text[pos] == '0')
    ++pos;
  else if (pos = skipDigits(text, pos); pos == kBad)
    return kBad;
  if (pos < text.size() && text[pos] == '.')
    if (pos = skipDigits(text, pos + 1); pos == kBad)
      return kBad;
  if (pos < text.size() && (text[pos] == 'e' || text[pos] == 'E')) {
    ++pos;
    if (pos < text.size() && (text[pos] == '+' || text[pos] == '-'))
      ++pos;
    pos = skipDigits(text, pos);
  }
  return pos;
}

size_t skipScalar(std::string_view text, size_t pos) {
  if (pos >= text.size())
    return kBad;
  if (text[pos] == '"')
    return skipString(text, pos);
  for (std::string_view word : {"true", "false", "null"})
    if (text.substr(pos, word.size()) == word)
      return pos + word.size();
  return skipNumber(text, pos);
}

/// Skips a member's name, the colon and the blanks after it.
size_t skipKey(std::string_view text, size_t pos) {
  pos = skipString(text, pos);
  if (pos == kBad)
    return kBad;
  pos = skipBlanks(text, pos);
  return pos < text.size() && text[pos] == ':' ? skipBlanks(text, pos + 1) : kBad;
}

/// Skips from the first character of a value to after its last.
size_t skipValue(std::string_view text, size_t pos) {
  std::vector<bool> inObject; // one bit per level
  for (;;) {
    bool closed = false;
    if (pos < text.size() && (text[pos] == '{' || text[pos] == '[')) {
      const bool object = text[pos] == '{';
      pos = skipBlanks(text, pos + 1);
      if (pos >= text.size())
        return kBad;
      if (text[pos] == (object ? '}' : ']')) {
        ++pos;
        closed = true;
      } else {
        inObject.push_back(object);
        if (object && (pos = skipKey(text, pos)) == kBad)
          return kBad;
      }
    } else {
      pos = skipScalar(text, pos);
      if (pos == kBad)
        return kBad;
      closed = true;
    }
    while (closed) { // after a value
      if (inObject.empty())
        return pos;
      pos = skipBlanks(text, pos);
      if (pos >= text.size())
        return kBad;
      if (text[pos] == ',') {
        pos = skipBlanks(text, pos + 1);
        if (inObject.back() && (pos = skipKey(text, pos)) == kBad)
          return kBad;
        closed = false;
      } else if (text[pos] == (inObject.back() ? '}' : ']')) {
        inObject.pop_back();
        ++pos;
      } else {
        return kBad;
      }
    }
  }
}

} // namespace

bool valid(std::string_view text) {
  const size_t end = skipValue(text, skipBlanks(text, 0));
  return end != kBad && skipBlanks(text, end) == text.size();
}

void forEachMember(std::string_view object, const std::function<void(std::string_view, std::string_view)> &f) {
  size_t pos = skipBlanks(object, 0);
  if (pos >= object.size() || object[pos] != '{')
    return;
  pos = skipBlanks(object, pos + 1);
  while (pos < object.size() && object[pos] == '"') {
    const size_t keyEnd = skipString(object, pos), value = skipKey(object, pos);
    const size_t end = value == kBad ? kBad : skipValue(object, value);
    if (end == kBad)
      return;
    f(*unquote(object.substr(pos, keyEnd - pos)), object.substr(value, end - value));
    pos = skipBlanks(object, end);
    if (pos < object.size() && object[pos] == ',')
      pos = skipBlanks(object, pos + 1);
  }
}

void forEachElement(std::string_view array, const std::function<void(std::string_view)> &f) {
  size_t pos = skipBlanks(array, 0);
  if (pos >= array.size() || array[pos] != '[')
    return;
  pos = skipBlanks(array, pos + 1);
  while (pos < array.size() && array[pos] != ']') {
    const size_t end = skipValue(array, pos);
    if (end == kBad)
      return;
    f(array.substr(pos, end - pos));
    pos = skipBlanks(array, end);
    if (pos < array.size() && array[pos] == ',')
      pos = skipBlanks(array, pos + 1);
  }
}

std::optional<std::string_view> member(std::string_view object, std::string_view name) {
  std::optional<std::string_view> found;
  forEachMember(object, [&](std::string_view key, std::string_view value) {
    if (key == name)
      found = value;
  });
  return found;
}

std::optional<std::string> unquote(std::string_view value) {
  if (value.size() < 2 || skipString(value, 0) != value.size())
    return std::nullopt;
  std::string out;
  auto hex4 = [&](size_t pos) {
    uint32_t unit = 0;
    for (int digit = 0; digit < 4; ++digit)
      unit = unit << 4 | static_cast<uint32_t>(hexDigit(value[pos + digit]));
    return unit;
  };
  for (size_t pos = 1; pos + 1 < value.size(); ++pos) {
    if (value[pos] != '\\') {
      out += value[pos];
      continue;
    }
    static constexpr std::string_view kLetters = "bfnrt", kMeanings = "\b\f\n\r\t";
    const char c = value[++pos];
    if (c != 'u') {
      const size_t letter = kLetters.find(c);
      out += letter == kBad ? c : kMeanings[letter];
      continue;
    }
    uint32_t unit = hex4(pos + 1);
    pos += 4;
    if (unit >= 0xD800 && unit < 0xDC00 && value.substr(pos + 1, 2) == "\\u") {
      const uint32_t low = hex4(pos + 3);
      if (low >= 0xDC00 && low < 0xE000) {
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        pos += 6;
      }
    }
    text::appendUtf8(out, unit);
  }
  return out;
}

void appendCompact(std::string &out, std::string_view json) {
  bool inString = false;
  for (size_t pos = 0; pos < json.size();) {
    const char c = json[pos];
    if (static_cast<unsigned char>(c) >= 0x80) {
      const CodePoint point = decodeUtf8(json.data() + pos, json.size() - pos);
      text::appendUtf8(out, point.value);
      pos += point.size;
      continue;
    }
    if (inString && c == '\\') {
      out += json.substr(pos, 2);
      pos += 2;
      continue;
    }
    if (c == '"')
      inString = !inString;
    if (inString || !(c == ' ' || c == '\t' || c == '\n' || c == '\r'))
      out += c;
    ++pos;
  }
}

} // namespace ada::wtf::json
