// The checksums of ATF footers, for the drain: CRC-32 (ATF 1) and CRC-32C (ATF 2).
//
// The library uses isa-l for this; code that is linked into traced programs depends on libc only.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ada::runtime {

// Extends `crc` (0 to begin with) by `n` bytes. Both are the usual reflected sums with initial and final inversion:
// those of "123456789" are 0xCBF43926 and 0xE3069283.
uint32_t crc32(uint32_t crc, const void *data, size_t n);
uint32_t crc32c(uint32_t crc, const void *data, size_t n);

// The sum that files of that ATF version use.
inline uint32_t sumOf(unsigned version, uint32_t crc, const void *data, size_t n) {
  return version == 1 ? crc32(crc, data, n) : crc32c(crc, data, n);
}

} // namespace ada::runtime
