// Integers in either byte order, and errors of the decoder.
#pragma once

#include "ada/trace/error.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace ada::wtf {

inline uint32_t load8(const std::byte *p) { return std::to_integer<uint32_t>(*p); }
inline uint32_t load16(const std::byte *p, bool msbFirst) {
  return msbFirst ? load8(p) << 8 | load8(p + 1) : load8(p + 1) << 8 | load8(p);
}
inline uint32_t load32(const std::byte *p, bool msbFirst) {
  return msbFirst ? load16(p, true) << 16 | load16(p + 2, true) : load16(p + 2, false) << 16 | load16(p, false);
}

inline void store32(char *to, uint32_t value, bool msbFirst) {
  if (msbFirst == (std::endian::native == std::endian::little))
    value = __builtin_bswap32(value);
  std::memcpy(to, &value, sizeof value);
}
inline void append8(std::string &out, uint32_t value) { out += static_cast<char>(value); }
inline void append16(std::string &out, uint32_t value, bool msbFirst) {
  const char hi = static_cast<char>(value >> 8), lo = static_cast<char>(value);
  const char bytes[2] = {msbFirst ? hi : lo, msbFirst ? lo : hi};
  out.append(bytes, 2);
}
inline void append32(std::string &out, uint32_t value, bool msbFirst) {
  char bytes[4];
  store32(bytes, value, msbFirst);
  out.append(bytes, 4);
}

inline std::string_view asText(const std::byte *p, size_t size) { return {reinterpret_cast<const char *>(p), size}; }

inline Error errorAt(const char *code, uint64_t offset, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.offset = offset;
  return error;
}
inline Error errorOf(const char *code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

} // namespace ada::wtf
