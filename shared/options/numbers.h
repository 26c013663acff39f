// Numbers, sizes and durations in the notation of options.
#pragma once

#include "shared/text/text_piece.h"

namespace ada::options {

// Takes a decimal number off the beginning of `text`. False if there is none or it has more than 64 bits.
inline bool takeNumber(TextPiece &text, uint64_t &number) {
  size_t n = 0;
  number = 0;
  for (; n < text.size && text[n] >= '0' && text[n] <= '9'; ++n)
    if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, text[n] - '0', &number))
      return false;
  text = text.from(n);
  return n > 0;
}

// Bytes: "4096", "64K", "16m" or "1G".
inline bool parseSize(TextPiece text, uint64_t &bytes) {
  uint64_t number;
  if (!takeNumber(text, number) || text.size > 1)
    return false;
  unsigned shift = 0;
  if (text.size == 1) {
    const char unit = static_cast<char>(text[0] | 32);
    shift = unit == 'k' ? 10 : unit == 'm' ? 20 : unit == 'g' ? 30 : 0;
    if (shift == 0 || number > (UINT64_MAX >> shift))
      return false;
  }
  bytes = number << shift;
  return true;
}

// Nanoseconds: "250ns", "10us", "5ms" or "2s". The unit is required.
inline bool parseDuration(TextPiece text, uint64_t &ns) {
  uint64_t number;
  if (!takeNumber(text, number))
    return false;
  const uint64_t unit = text == "ns" ? 1 : text == "us" ? 1000 : text == "ms" ? 1000000 : text == "s" ? 1000000000 : 0;
  return unit && !__builtin_mul_overflow(number, unit, &ns);
}

// A share of more than 0% and at most 100%, "5%", "0.5%" or "0.25%", in hundredths of a percent; "none" is 0.
inline bool parseShare(TextPiece text, uint64_t &share) {
  share = 0;
  if (text == "none")
    return true;
  if (!takeNumber(text, share) || share > 100)
    return false;
  share *= 100;
  if (!text.empty() && text[0] == '.') {
    text = text.from(1);
    uint64_t part;
    const size_t before = text.size;
    if (!takeNumber(text, part) || before - text.size > 2)
      return false;
    share += before - text.size == 1 ? part * 10 : part;
  }
  return text == "%" && share > 0 && share <= 10000;
}

} // namespace ada::options
