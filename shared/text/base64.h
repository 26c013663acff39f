// Bytes in JSON: base64 with the digits of RFC 4648, padded.
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include "text_piece.h"

namespace ada {

inline constexpr char kBase64Digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// How many characters `size` bytes become.
constexpr size_t base64Size(size_t size) { return (size + 2) / 3 * 4; }

/// Calls put(char) with each character.
template <class Put> constexpr void putBase64(const unsigned char *bytes, size_t size, Put put) {
  for (size_t at = 0; at < size; at += 3) {
    uint32_t bits = 0;
    for (size_t i = at; i < at + 3; ++i)
      bits = bits << 8 | (i < size ? bytes[i] : 0);
    for (unsigned i = 0; i < 4; ++i)
      put(at + i <= size ? kBase64Digits[bits >> (18 - 6 * i) & 63] : '=');
  }
}

/// Calls put(unsigned char) with each byte. False if the text is something else; then some bytes may have been put.
template <class Put> constexpr bool takeBase64(TextPiece text, Put put) {
  if (text.size % 4 != 0)
    return false;
  const auto valueOf = [](char c) -> uint32_t {
    for (uint32_t value = 0; value < 64; ++value)
      if (kBase64Digits[value] == c)
        return value;
    return 64;
  };
  for (size_t at = 0; at < text.size; at += 4) {
    const bool isLast = at + 4 == text.size;
    const unsigned padding = !isLast || text.data[at + 3] != '=' ? 0 : text.data[at + 2] != '=' ? 1 : 2;
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const uint32_t value = i + padding >= 4 ? 0 : valueOf(text.data[at + i]);
      if (value == 64)
        return false;
      bits = bits << 6 | value;
    }
    if (padding > 0 && (bits & (padding == 1 ? 0xffu : 0xffffu)) != 0)
      return false;
    for (unsigned i = 0; i + padding < 3; ++i)
      put(static_cast<unsigned char>(bits >> (16 - 8 * i)));
  }
  return true;
}

} // namespace ada
