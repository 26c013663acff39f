// The checksums of ATF footers, for the drain: CRC-32 (ATF 1) and CRC-32C (ATF 2).
//
// The library has isa-l for this; what is linked into traced programs depends on libc only.
#ifndef ADA_RUNTIME_CORE_CRC_H
#define ADA_RUNTIME_CORE_CRC_H

#include <stddef.h>
#include <stdint.h>

namespace ada {

// Extends `crc` (0 for none yet) by `n` bytes. Both are the usual reflected sums with initial and final inversion:
// of "123456789" 0xCBF43926 and 0xE3069283.
uint32_t crc32(uint32_t crc, const void *data, size_t n);
uint32_t crc32c(uint32_t crc, const void *data, size_t n);

// The one that files of that ATF version have.
inline uint32_t sumOf(unsigned version, uint32_t crc, const void *data, size_t n) {
  return version == 1 ? crc32(crc, data, n) : crc32c(crc, data, n);
}

} // namespace ada
#endif
