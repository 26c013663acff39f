// Reads and writes the numbers of a stream: bounded LEB128 both ways, little-endian stores.
#pragma once

#include "ada/trace/dial9/value.h"

#include <cstring>

namespace ada::dial9 {

using detail::load;

/// Stores and moves on.
template <class T> inline void put(uint8_t *&p, T value) {
  std::memcpy(p, &value, sizeof(T));
  p += sizeof(T);
}
inline void putBytes(uint8_t *&p, const void *data, size_t size) {
  if (size) // data may be null then
    std::memcpy(p, data, size);
  p += size;
}

/// Shortest LEB128; needs kMaxVarintBytes of room.
inline void putVarint(uint8_t *&p, uint64_t value) {
  if (value < 0x80) [[likely]] {
    *p++ = uint8_t(value);
    return;
  }
  if (value < 0x4000)
    return put(p, uint16_t((value & 0x7f) | 0x80 | value >> 7 << 8));
  while (value >= 0x80) {
    *p++ = uint8_t(value) | 0x80;
    value >>= 7;
  }
  *p++ = uint8_t(value);
}

enum class VarintEnd : uint8_t { Ok, Short, Overflow };

/// Reads one LEB128; the bytes may end anywhere. On Ok, `p` is moved past it; otherwise it is unchanged.
inline VarintEnd readVarintBounded(const uint8_t *&p, const uint8_t *end, uint64_t &value) {
  uint64_t result = 0;
  const uint8_t *at = p;
  for (unsigned shift = 0; at != end; shift += 7) {
    uint8_t byte = *at++;
    // The tenth byte holds only the 64th bit, and may not announce an eleventh byte.
    if (shift == 7 * (kMaxVarintBytes - 1) && byte > 1)
      return VarintEnd::Overflow;
    result |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) {
      p = at;
      value = result;
      return VarintEnd::Ok;
    }
  }
  return VarintEnd::Short;
}

/// The number of bytes that `readVarintRoomy` may look at, however short the number is.
inline constexpr size_t kVarintLookBytes = kMaxVarintBytes;

/// The part of `readVarintRoomy` that rarely runs.
inline const uint8_t *readLongVarint(const uint8_t *p, uint64_t &value) {
  uint64_t word = load<uint64_t>(p);
  if (uint64_t stops = ~word & 0x8080808080808080) [[likely]] {
    word &= stops ^ (stops - 1); // up to the stop bit of the last byte
    // Squeeze out the continuation bits: 8 x 7 bits, 4 x 14, 2 x 28, 56.
    word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
    word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
    value = (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
    return p + std::countr_zero(stops) / 8 + 1;
  }
  const uint8_t *at = p;
  return readVarintBounded(at, p + kMaxVarintBytes, value) == VarintEnd::Ok ? at : nullptr;
}

/// The same for decoding at full speed; kVarintLookBytes must be readable. Takes one and two bytes at once, and up to
/// eight without a loop. Null if the number does not fit 64 bits.
inline const uint8_t *readVarintRoomy(const uint8_t *p, uint64_t &value) {
  static_assert(kVarintLookBytes >= sizeof(uint64_t));
  uint64_t first = *p;
  if (first < 0x80) [[likely]] {
    value = first;
    return p + 1;
  }
  uint64_t second = p[1];
  if (second < 0x80) [[likely]] {
    value = (second << 7) + first - 0x80;
    return p + 2;
  }
  return readLongVarint(p, value);
}
} // namespace ada::dial9
