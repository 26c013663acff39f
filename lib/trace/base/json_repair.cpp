// Replaces bytes and numbers that occur in real JSON but that simdjson rejects.
#include "trace/base/json_repair.h"

#include "shared/text/utf8.h"

#include <cmath>
#include <cstdlib>

namespace ada {

// Integers that do not fit 64 bits become doubles, and numbers that no double holds null.
static std::string inRange(std::string_view token) {
  constexpr std::string_view kMax = "18446744073709551615", kLeast = "9223372036854775808";
  const bool negative = token.starts_with('-');
  const std::string_view digits = token.substr(negative);
  std::string number(token);
  if (digits.find_first_of(".eE") == digits.npos) {
    const std::string_view limit = negative ? kLeast : kMax;
    if (digits.size() < limit.size() || (digits.size() == limit.size() && digits <= limit))
      return number;
    number += "e0";
  }
  return std::isinf(std::strtod(number.c_str(), nullptr)) ? "null" : number;
}

std::string repairJson(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 16);
  bool inString = false;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    const CodePoint point = decodeUtf8(text.data() + at, text.size() - at);
    if (!point.valid) {
      result += kReplacementUtf8;
      ++at;
    } else if (inString && c == '\\' && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0x80) {
      result += text.substr(at, 2);
      at += 2;
    } else if (!inString && (c == '-' || (c >= '0' && c <= '9'))) {
      size_t end = text.find_first_not_of("+-.0123456789eE", at);
      std::string_view token = text.substr(at, end - at);
      result += inRange(token);
      at += token.size();
    } else {
      inString ^= c == '"';
      result += text.substr(at, point.size);
      at += point.size;
    }
  }
  return result;
}

} // namespace ada
