// Writes decimal numbers into memory that was reserved for them, for loops that print many millions.
//
// fmt and std::to_chars take two to three times as long: they don't know how many digits there are, or cost a call.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace ada {

/// Most digits that a number can have.
inline constexpr unsigned kMaxDigits = 20;

namespace digits {
inline constexpr char kPairs[201] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
    "4445464748495051525354555657585960616263646566676869707172737475767778798081828384858687"
    "888990919293949596979899";
inline void putPair(char *to, uint32_t value) { std::memcpy(to, kPairs + 2 * value, 2); }
// Two halves that do not wait for each other.
inline void putFour(char *to, uint32_t value) {
  putPair(to, value / 100);
  putPair(to + 2, value % 100);
}
inline void putEight(char *to, uint32_t value) {
  putFour(to, value / 10000);
  putFour(to + 4, value % 10000);
}
// A number below 10,000, without leading zeros.
inline char *putShort(char *to, uint32_t value) {
  if (value >= 100) {
    to = putShort(to, value / 100);
    putPair(to, value % 100);
    return to + 2;
  }
  if (value >= 10) {
    putPair(to, value);
    return to + 2;
  }
  *to = static_cast<char>('0' + value);
  return to + 1;
}
} // namespace digits

/// Exactly nine digits of a number that has at most nine, with leading zeros.
inline char *putNineDigits(char *to, uint32_t value) {
  *to = static_cast<char>('0' + value / 100'000'000);
  digits::putEight(to + 1, value % 100'000'000);
  return to + 9;
}
/// The same with three digits.
inline char *putThreeDigits(char *to, uint32_t value) {
  *to = static_cast<char>('0' + value / 100);
  digits::putPair(to + 1, value % 100);
  return to + 3;
}

inline char *putDecimal(char *to, uint64_t value) {
  if (value < 10000)
    return digits::putShort(to, static_cast<uint32_t>(value));
  if (value < 100'000'000) {
    const auto small = static_cast<uint32_t>(value);
    to = digits::putShort(to, small / 10000);
    digits::putFour(to, small % 10000);
    return to + 4;
  }
  to = putDecimal(to, value / 100'000'000);
  digits::putEight(to, static_cast<uint32_t>(value % 100'000'000));
  return to + 8;
}

inline void appendDecimal(std::string &to, uint64_t value) {
  char text[kMaxDigits];
  to.append(text, static_cast<size_t>(putDecimal(text, value) - text));
}

} // namespace ada
