// Replaces what simdjson refuses but JSON in the wild holds.
#include "formats/atf/json_repair.h"

#include <cmath>
#include <cstdlib>

namespace ada {

// Length of the UTF-8 sequence at `at`, 0 if it is not one (surrogates and
// overlong forms are not).
static std::size_t utf8Length(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  auto tail = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  unsigned first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first <= 0xdf)
    return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    return tail(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) &&
                   tail(2)
               ? 3
               : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return tail(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) &&
                   tail(2) && tail(3)
               ? 4
               : 0;
  return 0;
}

// A number token that no 64-bit integer and no double holds.
static bool isOutOfRange(std::string_view token) {
  constexpr std::string_view kMax = "18446744073709551615",
                             kMin = "9223372036854775808";
  bool negative = token.starts_with('-');
  std::string_view digits = token.substr(negative);
  if (digits.find_first_of(".eE") == digits.npos) {
    std::string_view limit = negative ? kMin : kMax;
    return digits.size() > limit.size() ||
           (digits.size() == limit.size() && digits > limit);
  }
  return std::isinf(std::strtod(std::string(token).c_str(), nullptr));
}

std::string repairJson(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 16);
  bool inString = false;
  for (std::size_t at = 0; at < text.size();) {
    char c = text[at];
    std::size_t length = utf8Length(text, at);
    if (length == 0) {
      result += "\xef\xbf\xbd";
      ++at;
    } else if (inString && c == '\\' && at + 1 < text.size() &&
               static_cast<unsigned char>(text[at + 1]) < 0x80) {
      result += text.substr(at, 2);
      at += 2;
    } else if (!inString && (c == '-' || (c >= '0' && c <= '9'))) {
      std::size_t end = text.find_first_not_of("+-.0123456789eE", at);
      std::string_view token = text.substr(at, end - at);
      result += isOutOfRange(token) ? "null" : token;
      at += token.size();
    } else {
      inString ^= c == '"';
      result += text.substr(at, length);
      at += length;
    }
  }
  return result;
}

} // namespace ada
