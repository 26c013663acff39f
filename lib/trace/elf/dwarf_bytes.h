// Reads the numbers and texts of DWARF.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace ada {

/// Reads bytes up to an end; what lies beyond it is 0, and makes isGood false.
struct DwarfBytes {
  const uint8_t *at = nullptr, *end = nullptr;
  bool isGood = true;

  explicit DwarfBytes(std::string_view text)
      : at(reinterpret_cast<const uint8_t *>(text.data())), end(at + text.size()) {}
  bool has(uint64_t count) {
    if (count > static_cast<uint64_t>(end - at))
      isGood = false, at = end;
    return isGood;
  }
  uint64_t fixed(unsigned bytes) {
    uint64_t value = 0;
    if (has(bytes)) {
      std::memcpy(&value, at, bytes);
      at += bytes;
    }
    return value;
  }
  uint64_t number() { // ULEB128
    uint64_t value = 0;
    for (unsigned shift = 0; has(1); shift += 7) {
      const uint8_t byte = *at++;
      if (shift < 64)
        value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        break;
    }
    return value;
  }
  int64_t signedNumber() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    for (; (byte & 0x80) && has(1); shift += 7) {
      byte = *at++;
      if (shift < 64)
        value |= uint64_t(byte & 0x7f) << shift;
    }
    if (shift < 64 && (byte & 0x40))
      value |= ~uint64_t(0) << shift;
    return static_cast<int64_t>(value);
  }
  std::string_view text() {
    const void *const found = at == end ? nullptr : std::memchr(at, 0, static_cast<size_t>(end - at));
    const auto *zero = static_cast<const uint8_t *>(found);
    if (!zero) {
      has(~uint64_t(0));
      return {};
    }
    const std::string_view text(reinterpret_cast<const char *>(at), static_cast<size_t>(zero - at));
    at = zero + 1;
    return text;
  }
  std::string_view block(uint64_t count) {
    if (!has(count))
      return {};
    const std::string_view found(reinterpret_cast<const char *>(at), count);
    at += count;
    return found;
  }
};

/// What lies after an offset; empty if that is beyond the end.
inline std::string_view after(std::string_view bytes, uint64_t offset) {
  return offset < bytes.size() ? bytes.substr(offset) : std::string_view();
}

} // namespace ada
