// Memcpy, memset and memmove of the runtime: see own_memory.h. Called with up to some KiB.
#include <stddef.h>
#include <stdint.h>

namespace {
typedef uint64_t Word __attribute__((aligned(1), may_alias));

// Keeps loops from being recognised, and turned into the calls that they serve.
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
  if (t <= f || t >= f + n) // forward copies never read what they wrote
    return ada_memcpy(to, from, n);
  while (n-- > 0) {
    t[n] = f[n];
    opaque();
  }
  return to;
}
