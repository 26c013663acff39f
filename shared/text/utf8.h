// UTF-8, code point by code point, and which of them a terminal must not be given.
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ada {

inline constexpr uint32_t kReplacement = 0xfffd;
inline constexpr char kReplacementUtf8[] = "\xef\xbf\xbd";

struct CodePoint {
  uint32_t value; ///< kReplacement for a byte that is not UTF-8
  uint32_t size;  ///< in bytes, at least 1
  bool valid;
};

/// JavaScript's strings may hold lone surrogates, which some writers turn into three bytes each.
enum class Surrogates { Invalid, Accepted };

/// The code point at the start of `text`, which has at least one byte.
/// Overlong forms and values beyond U+10FFFF are not valid.
constexpr CodePoint decodeUtf8(const char *text, size_t length, Surrogates surrogates = Surrogates::Invalid) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  const uint32_t lead = byte(0);
  if (lead < 0x80)
    return {lead, 1, true};
  const uint32_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr CodePoint kBadByte = {kReplacement, 1, false};
  if (lead < 0xc2 || lead > 0xf4 || size > length)
    return kBadByte;
  uint32_t value = lead & (0x7fu >> size);
  for (uint32_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return kBadByte;
    value = value << 6 | (byte(i) & 0x3f);
  }
  const bool isSurrogate = value >= 0xd800 && value < 0xe000;
  if ((size == 3 && value < 0x800) || (size == 4 && (value < 0x10000 || value > 0x10ffff)) ||
      (isSurrogate && surrogates == Surrogates::Invalid))
    return kBadByte;
  return {value, size, true};
}

/// Writes the bytes of a code point (a surrogate gets three) and returns how many they are.
constexpr unsigned encodeUtf8(uint32_t value, char (&to)[4]) {
  const unsigned size = value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
  if (size == 1) {
    to[0] = static_cast<char>(value);
    return 1;
  }
  for (unsigned i = size; i-- > 1; value >>= 6)
    to[i] = static_cast<char>(0x80 | (value & 0x3f));
  to[0] = static_cast<char>((0xf00u >> size & 0xff) | value);
  return size;
}

/// How many of the first `most` bytes of a text end with a whole character. The text has more bytes than that.
constexpr size_t wholeCharacters(const char *text, size_t most) {
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80)
    --most;
  return most;
}

/// Characters above U+00AD that isUnprintable() names.
inline constexpr struct {
  uint32_t first, last;
} kHiddenRanges[] = {{0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},  {0x17b4, 0x17b5}, {0x180b, 0x180f},
                     {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},  {0x3164, 0x3164}, {0xfdd0, 0xfdef},
                     {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},  {0xfff0, 0xfffb}, {0x13430, 0x1343f},
                     {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

/// True for characters that change how the rest of a line is shown, or that can't be seen: control characters (C0, DEL,
/// C1), line separators, marks that turn the direction of text, characters without width, tags, and values that are no
/// characters. With them, a name can look like another one, or carry a hidden text. They are those that Unicode calls
/// Default_Ignorable_Code_Point, the format characters (Cf) without a shape, and the noncharacters.
constexpr bool isUnprintable(uint32_t c) {
  if (c <= 0xad)
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad;
  for (const auto &range : kHiddenRanges)
    if (c >= range.first && c <= range.last)
      return true;
  return (c & 0xfffe) == 0xfffe;
}

} // namespace ada
