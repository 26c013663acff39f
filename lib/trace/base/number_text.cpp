// Shows the bytes of integers, floating-point numbers and characters as text.
#include "number_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace ada {

Wide load(Bytes bytes) {
  Wide value = 0;
  for (size_t i = std::min<size_t>(bytes.size(), 16); i > 0; --i)
    value = value << 8 | std::to_integer<unsigned>(bytes[i - 1]);
  return value;
}

Wide extend(Wide value, uint32_t bits, bool isSigned) {
  if (bits >= 128)
    return value;
  Wide mask = (Wide{1} << bits) - 1;
  bool negative = isSigned && (value >> (bits - 1) & 1);
  return negative ? value | ~mask : value & mask;
}

std::string decimal(Wide value, bool isSigned) {
  bool negative = isSigned && value >> 127;
  if (negative)
    value = -value;
  char digits[44];
  char *at = std::end(digits);
  do
    *--at = static_cast<char>('0' + static_cast<unsigned>(value % 10));
  while ((value /= 10) != 0);
  if (negative)
    *--at = '-';
  return std::string(at, std::end(digits));
}

std::string hex(uint64_t value) {
  char digits[20];
  auto end = std::to_chars(digits, std::end(digits), value, 16).ptr;
  return "0x" + std::string(digits, end);
}

std::string hexDigits(Bytes bytes, bool lastFirst) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = std::to_integer<unsigned>(bytes[lastFirst ? bytes.size() - 1 - i : i]);
    (text += kDigits[byte >> 4]) += kDigits[byte & 15];
  }
  return text;
}

std::string hexOf(Bytes bytes) {
  const std::string digits = hexDigits(bytes, true);
  const size_t first = digits.find_first_not_of('0');
  return first == digits.npos ? "0x0" : "0x" + digits.substr(first);
}

//===--- floating point ---------------------------------------------------===//

template <class Float> std::string shortest(Float value) {
  if (std::isnan(value))
    return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[80];
  // People don't write 100000 as 1e+05.
  Float size = std::fabs(value);
  bool plain = size == 0 || (size >= Float(1e-5) && size < Float(1e15));
  auto end =
      std::to_chars(text, std::end(text), value, plain ? std::chars_format::fixed : std::chars_format::scientific).ptr;
  return std::string(text, end);
}

// The number with this sign, exponent and fraction of a format; exact in long double up to 64 significant bits.
long double assemble(bool negative, unsigned exponent, unsigned exponentBits, Wide fraction, unsigned fractionBits) {
  const int most = (1 << exponentBits) - 1, bias = most / 2;
  long double value;
  if (static_cast<int>(exponent) == most) {
    value = fraction ? std::numeric_limits<long double>::quiet_NaN() : std::numeric_limits<long double>::infinity();
  } else {
    Wide significand = exponent ? fraction | Wide{1} << fractionBits : fraction;
    int power = std::max<int>(static_cast<int>(exponent), 1) - bias - static_cast<int>(fractionBits);
    value = std::ldexp(static_cast<long double>(significand), power);
  }
  return negative ? -value : value;
}

// The fewest digits that are nearer to a finite number than to its neighbours, which are STEP away.
std::string shortestOf(float value, float step) {
  if (!std::isfinite(value) || value == 0)
    return shortest(value);
  char text[32];
  char *end = text;
  for (int digits = 1; digits <= 5; ++digits) {
    end = std::to_chars(text, std::end(text), value, std::chars_format::scientific, digits - 1).ptr;
    float back = 0;
    std::from_chars(text, end, back);
    if (std::fabs(back - value) < step / 2)
      return shortest(back);
  }
  return std::string(text, end);
}

std::optional<long double> floatOf(Wide raw, uint32_t bits) {
  switch (bits) {
  case 16:
    return assemble(raw >> 15 & 1, raw >> 10 & 31, 5, raw & 1023, 10);
  case 32:
    return std::bit_cast<float>(static_cast<uint32_t>(raw));
  case 64:
    return std::bit_cast<double>(static_cast<uint64_t>(raw));
  case 80: {
    // The leading one is stored.
    unsigned exponent = static_cast<unsigned>(raw >> 64 & 0x7fff);
    uint64_t significand = static_cast<uint64_t>(raw);
    bool negative = raw >> 79 & 1;
    if (exponent == 0x7fff)
      return assemble(negative, exponent, 15, significand << 1, 63);
    long double value =
        std::ldexp(static_cast<long double>(significand), std::max<int>(static_cast<int>(exponent), 1) - 16383 - 63);
    return negative ? -value : value;
  }
  case 128:
    return assemble(raw >> 127 & 1, raw >> 112 & 0x7fff, 15, raw & ((Wide{1} << 112) - 1), 112);
  }
  return std::nullopt;
}

float bfloatOf(Bytes bytes) { return std::bit_cast<float>(static_cast<uint32_t>(load(bytes)) << 16); }

std::string bfloatText(Bytes bytes) {
  const auto exponent = static_cast<int>(static_cast<uint64_t>(load(bytes)) >> 7 & 255);
  return shortestOf(bfloatOf(bytes), std::ldexp(1.0f, std::max(exponent, 1) - 134));
}

std::string floatText(Bytes bytes, uint32_t bits) {
  const Wide raw = load(bytes);
  std::optional<long double> value = floatOf(raw, bits);
  if (!value)
    return hexOf(bytes);
  switch (bits) {
  case 16:
    return shortestOf(static_cast<float>(*value),
                      std::ldexp(1.0f, std::max<int>(static_cast<int>(raw >> 10 & 31), 1) - 25));
  case 32:
    return shortest(static_cast<float>(*value));
  case 64:
    return shortest(static_cast<double>(*value));
  case 128:
    // Rounded, where this machine's widest type has fewer digits.
    if (std::numeric_limits<long double>::digits < 113 && (raw & ((Wide{1} << 49) - 1)) != 0 && std::isfinite(*value))
      return "~" + shortest(*value);
  }
  return shortest(*value);
}

std::string charText(unsigned char c) {
  switch (c) {
  case '\n':
    return "'\\n'";
  case '\t':
    return "'\\t'";
  case '\r':
    return "'\\r'";
  case 0:
    return "'\\0'";
  case '\'':
  case '\\':
    return {'\'', '\\', static_cast<char>(c), '\''};
  }
  if (c >= 0x20 && c < 0x7f)
    return {'\'', static_cast<char>(c), '\''};
  return "'\\x" + hexDigits({reinterpret_cast<const std::byte *>(&c), 1}) + "'";
}

} // namespace ada
