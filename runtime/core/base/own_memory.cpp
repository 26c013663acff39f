// The runtime's memcpy, memset and memmove: see own_memory.h. They are called with up to a few KiB.
#include "any_word.h"

#include <stddef.h>
#include <stdint.h>

using ada::runtime::AnyWord;

namespace {
// Keeps the compiler from recognising the loops and turning them into calls of the functions that they implement.
inline void opaque() { __asm__ volatile("" : : : "memory"); }
} // namespace

extern "C" __attribute__((visibility("hidden"))) void *ada_memcpy(void *to, const void *from, size_t n) {
  auto *t = static_cast<char *>(to);
  const auto *f = static_cast<const char *>(from);
  for (; n >= sizeof(AnyWord); n -= sizeof(AnyWord), t += sizeof(AnyWord), f += sizeof(AnyWord)) {
    *reinterpret_cast<AnyWord *>(t) = *reinterpret_cast<const AnyWord *>(f);
    opaque();
  }
  for (; n > 0; --n) {
    *t++ = *f++;
    opaque();
  }
  return to;
}

extern "C" __attribute__((visibility("hidden"))) void *ada_memset(void *to, int byte, size_t n) {
  auto *t = static_cast<char *>(to);
  uint64_t word = 0x0101010101010101u * static_cast<unsigned char>(byte);
  for (; n >= sizeof(AnyWord); n -= sizeof(AnyWord), t += sizeof(AnyWord)) {
    *reinterpret_cast<AnyWord *>(t) = word;
    opaque();
  }
  for (; n > 0; --n) {
    *t++ = static_cast<char>(byte);
    opaque();
  }
  return to;
}

extern "C" __attribute__((visibility("hidden"))) void *ada_memmove(void *to, const void *from, size_t n) {
  auto *t = static_cast<char *>(to);
  const auto *f = static_cast<const char *>(from);
  if (t <= f || t >= f + n) // a forward copy never reads what it wrote
    return ada_memcpy(to, from, n);
  while (n-- > 0) {
    t[n] = f[n];
    opaque();
  }
  return to;
}
