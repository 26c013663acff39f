// A run of characters that something else owns.
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ada {

/// Made from a literal, or from anything that has data() and size(). `data` may be null if `size` is 0.
struct TextPiece {
  const char *data = nullptr;
  size_t size = 0;

  constexpr TextPiece() = default;
  constexpr TextPiece(const char *text, size_t length) : data(text), size(length) {}
  constexpr TextPiece(const char *text) : data(text) { // no strlen: the program may define its own
    while (text && text[size])
      ++size;
  }
  template <class Text, class = decltype(static_cast<const Text *>(nullptr)->data() + sizeof(Text))>
  constexpr TextPiece(const Text &text) : data(text.data()), size(text.size()) {}

  constexpr char operator[](size_t i) const { return data[i]; }
  constexpr bool empty() const { return size == 0; }
  constexpr TextPiece from(size_t at) const { return {data + at, size - at}; }
  constexpr TextPiece first(size_t n) const { return {data, n}; }
  constexpr bool startsWith(TextPiece prefix) const { return size >= prefix.size && first(prefix.size) == prefix; }
  constexpr bool endsWith(TextPiece suffix) const { return size >= suffix.size && from(size - suffix.size) == suffix; }
  friend constexpr bool operator==(TextPiece a, TextPiece b) {
    if (a.size != b.size)
      return false;
    for (size_t i = 0; i < a.size; ++i)
      if (a[i] != b[i])
        return false;
    return true;
  }
};

} // namespace ada
