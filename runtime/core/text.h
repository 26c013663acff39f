// text.h - builds short texts (paths, messages) in memory of its own, without libc's formatting.
#ifndef ADA_RUNTIME_CORE_TEXT_H
#define ADA_RUNTIME_CORE_TEXT_H

#include <stddef.h>
#include <stdint.h>

namespace ada {

inline size_t length(const char *s) {
  size_t n = 0;
  while (s[n])
    ++n;
  return n;
}
inline bool equal(const char *a, const char *b) {
  while (*a && *a == *b)
    ++a, ++b;
  return *a == *b;
}
// Not memcpy, which the program may define. `volatile` keeps compilers from seeing one in the loops.
inline void copyBytes(void *to, const void *from, size_t n) {
  typedef uint64_t Word __attribute__((aligned(1), may_alias));
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    *(volatile Word *)((char *)to + i) = *(const Word *)((const char *)from + i);
  for (; i < n; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
}
inline void clearBytes(void *to, size_t n) {
  for (size_t i = 0; i < n; ++i)
    ((volatile char *)to)[i] = 0;
}

// At most N-1 bytes; what does not fit is cut off and `cut` is set.
template <size_t N> class Text {
public:
  constexpr Text() = default;
  explicit Text(const char *s) : Text() { *this << s; }

  Text &operator<<(const char *s) {
    while (*s)
      put(*s++);
    return *this;
  }
  Text &operator<<(char c) { return put(c), *this; }
  Text &operator<<(uint64_t v) { return number(v, 10, 1); }
  Text &operator<<(uint32_t v) { return number(v, 10, 1); }
  Text &operator<<(int v) {
    if (v < 0)
      put('-');
    return number(v < 0 ? -(uint64_t)v : (uint64_t)v, 10, 1);
  }
  Text &number(uint64_t v, unsigned base, unsigned minDigits) {
    char digits[64];
    unsigned n = 0;
    do
      digits[n++] = "0123456789abcdef"[v % base];
    while ((v /= base) || n < minDigits);
    while (n)
      put(digits[--n]);
    return *this;
  }

  const char *c_str() const { return buffer; }
  size_t size() const { return used; }
  bool empty() const { return used == 0; }
  bool cut() const { return wasCut; }
  void clear() { used = 0, buffer[0] = 0, wasCut = false; }
  void shorten(size_t to) { used = to, buffer[to] = 0; }

private:
  void put(char c) {
    if (used + 1 < N)
      buffer[used++] = c, buffer[used] = 0;
    else
      wasCut = true;
  }
  char buffer[N] = {};
  size_t used = 0;
  bool wasCut = false;
};

using Path = Text<4096>;

} // namespace ada
#endif
