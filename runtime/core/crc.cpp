// crc.cpp - slicing-by-8 tables, and the CPU's CRC-32C instruction where there is one.
//
// About 2 GB/s by table and 8 GB/s by instruction on a current x86-64 core; the drain needs 0.3 GB/s for ten million events a second.
#include "crc.h"

namespace ada {
namespace {

struct Tables {
  uint32_t t[8][256];
};

constexpr Tables makeTables(uint32_t polynomial) {
  Tables r = {};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k)
      c = c & 1 ? c >> 1 ^ polynomial : c >> 1;
    r.t[0][i] = c;
  }
  for (uint32_t i = 0; i < 256; ++i)
    for (int k = 1; k < 8; ++k)
      r.t[k][i] = r.t[k - 1][i] >> 8 ^ r.t[0][r.t[k - 1][i] & 255];
  return r;
}

constexpr Tables kIeee = makeTables(0xEDB88320), kCastagnoli = makeTables(0x82F63B78);

uint32_t byTable(const Tables &tables, uint32_t crc, const unsigned char *p, size_t n) {
  const auto &t = tables.t;
  crc = ~crc;
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t v;
    __builtin_memcpy(&v, p, 8);
    v ^= crc;
    crc = t[7][v & 255] ^ t[6][v >> 8 & 255] ^ t[5][v >> 16 & 255] ^ t[4][v >> 24 & 255] ^
          t[3][v >> 32 & 255] ^ t[2][v >> 40 & 255] ^ t[1][v >> 48 & 255] ^ t[0][v >> 56];
  }
  for (; n; --n)
    crc = crc >> 8 ^ t[0][(crc ^ *p++) & 255];
  return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t byInstruction(uint32_t crc, const unsigned char *p, size_t n) {
  uint64_t c = ~crc;
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t v;
    __builtin_memcpy(&v, p, 8);
    c = __builtin_ia32_crc32di(c, v);
  }
  for (; n; --n)
    c = __builtin_ia32_crc32qi((uint32_t)c, *p++);
  return ~(uint32_t)c;
}
bool hasInstruction() { return __builtin_cpu_supports("sse4.2"); }
#else
uint32_t byInstruction(uint32_t crc, const unsigned char *p, size_t n) { return byTable(kCastagnoli, crc, p, n); }
bool hasInstruction() { return false; }
#endif

} // namespace

uint32_t crc32(uint32_t crc, const void *data, size_t n) {
  return byTable(kIeee, crc, (const unsigned char *)data, n);
}
uint32_t crc32c(uint32_t crc, const void *data, size_t n) {
  if (hasInstruction())
    return byInstruction(crc, (const unsigned char *)data, n);
  return byTable(kCastagnoli, crc, (const unsigned char *)data, n);
}

} // namespace ada
