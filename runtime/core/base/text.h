// Builds short texts (paths, messages) in its own memory, without libc's formatting.
#pragma once

#include "shared/text/shell_word.h"
#include "shared/text/text_piece.h"

namespace ada::runtime {

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

// At most N-1 bytes; longer text is cut off and cut() is true.
//
// Most paths are short, and a page that is touched for the first time costs a microsecond. So nothing after the text is
// written or copied, and what says how long it is lies before it.
template <size_t N> class Text {
public:
  constexpr Text() {
    if (__builtin_is_constant_evaluated()) // for static ones: the compiler wants all of it
      for (char &c : buffer_)
        c = 0;
    else
      buffer_[0] = 0;
  }
  explicit Text(const char *s) : Text() { *this << s; }
  Text(const Text &other) { take(other); }
  Text &operator=(const Text &other) { return this == &other ? *this : (take(other), *this); }

  Text &operator<<(const char *s) {
    while (*s)
      put(*s++);
    return *this;
  }
  Text &operator<<(TextPiece word) {
    for (size_t i = 0; i < word.size; ++i)
      put(word[i]);
    return *this;
  }
  Text &operator<<(char c) { return put(c), *this; }
  Text &operator<<(uint64_t v) { return number(v, 10, 1); }
  Text &operator<<(uint32_t v) { return number(v, 10, 1); }
  Text &operator<<(int v) {
    if (v < 0)
      put('-');
    return number(v < 0 ? -static_cast<uint64_t>(v) : static_cast<uint64_t>(v), 10, 1);
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

  // A path in a command that a user may copy into a shell.
  Text &pathForShell(const char *path) {
    const size_t size = length(path);
    return putShellWord(path, size, [this](char c) { put(c); }), *this;
  }

  const char *c_str() const { return buffer_; }
  size_t size() const { return used_; }
  bool empty() const { return used_ == 0; }
  bool cut() const { return wasCut_; }
  void clear() { used_ = 0, buffer_[0] = 0, wasCut_ = false; }
  void shorten(size_t to) { used_ = to, buffer_[to] = 0; }
  // For a path: removes the last name and the slash before it.
  void toParent() {
    while (used_ > 1 && buffer_[used_ - 1] != '/')
      shorten(used_ - 1);
    shorten(used_ > 0 ? used_ - 1 : 0);
  }

private:
  void take(const Text &other) {
    used_ = other.used_, wasCut_ = other.wasCut_;
    if (this != &other)
      __builtin_memcpy(buffer_, other.buffer_, used_ + 1);
  }
  void put(char c) {
    if (used_ + 1 < N)
      buffer_[used_++] = c, buffer_[used_] = 0;
    else
      wasCut_ = true;
  }
  size_t used_ = 0;
  bool wasCut_ = false;
  char buffer_[N];
};

using Path = Text<4096>;

} // namespace ada::runtime
