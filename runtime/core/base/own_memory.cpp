// The runtime's memcpy, memset and memmove: see own_memory.h. They are called with up to a few KiB.
#include <stddef.h>
#include <stdint.h>

namespace {
typedef uint64_t Word __attribute__((aligned(1), may_alias));

// Keeps the compiler from recognising the loops and turning them into calls of the functions that they implement.
inline void opaque() { __asm__ volatile("" : : : "memory"); }
} // namespace

extern "C" __attribute__((visibility("hidden"))) void *ada_memcpy(void *to, const void *from, size_t n) {
  char *t = (char *)to;
  const char *f = (const char *)from;
  for (; n >= sizeof(Word); n -= sizeof(Word), t += sizeof(Word), f += sizeof(Word)) {
    *(Word *)t = *(const Word *)f;
    opaque();
  }
  for (; n > 0; --n) {
    *t++ = *f++;
    opaque();
  }
  return to;
}

extern "C" __attribute__((visibility("hidden"))) void *ada_memset(void *to, int byte, size_t n) {
  char *t = (char *)to;
  uint64_t word = 0x0101010101010101u * (unsigned char)byte;
  for (; n >= sizeof(Word); n -= sizeof(Word), t += sizeof(Word)) {
    *(Word *)t = word;
    opaque();
  }
  for (; n > 0; --n) {
    *t++ = (char)byte;
    opaque();
  }
  return to;
}

extern "C" __attribute__((visibility("hidden"))) void *ada_memmove(void *to, const void *from, size_t n) {
  char *t = (char *)to;
  const char *f = (const char *)from;
  if (t <= f || t >= f + n) // a forward copy never reads what it wrote
    return ada_memcpy(to, from, n);
  while (n-- > 0) {
    t[n] = f[n];
    opaque();
  }
  return to;
}
