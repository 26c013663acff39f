// function_glob.h - whether a glob means a function: the one meaning that pass, runtime and views share.
//
//   *  any text   ?  one character   [a-z] [!a-z]  a character in, or not in, a set   \x  the character x
//   A|B  either of two globs
//
// A glob has to match the whole of one of: the mangled name, the demangled name, the demangled name without its parameters, the
// source file. So `ns::parse` means all overloads of ns::parse, and `*/net/*.cpp` all that is defined there.
//
// Freestanding: the runtime compiles it into traced programs.
#ifndef ADA_LIB_SELECT_FUNCTION_GLOB_H
#define ADA_LIB_SELECT_FUNCTION_GLOB_H

#include <stddef.h>

namespace ada::select {

// A run of characters; `text` may be null if `size` is 0.
struct Piece {
  const char *text;
  size_t size;
};

inline Piece piece(const char *s) {
  size_t n = 0;
  while (s && s[n])
    ++n;
  return {s, n};
}

// Matches one set at pattern[p] == '['. Sets `matched` and returns the position behind it, or p if it is no set (no ']').
inline size_t matchSet(Piece pattern, size_t p, char c, bool &matched) {
  size_t i = p + 1;
  bool negate = i < pattern.size && (pattern.text[i] == '!' || pattern.text[i] == '^');
  i += negate;
  bool in = false;
  for (size_t first = i; i < pattern.size && (pattern.text[i] != ']' || i == first); ++i) {
    char low = pattern.text[i], high = low;
    if (i + 2 < pattern.size && pattern.text[i + 1] == '-' && pattern.text[i + 2] != ']')
      high = pattern.text[i += 2];
    in |= low <= c && c <= high;
  }
  if (i >= pattern.size)
    return p;
  matched = in != negate;
  return i + 1;
}

// Whether `pattern`, without alternatives, matches the whole of `text`. Time is at most the product of the lengths.
inline bool matchOne(Piece pattern, Piece text) {
  size_t p = 0, t = 0, starP = (size_t)-1, starT = 0;
  while (t < text.size) {
    bool ok = false;
    size_t next = p;
    if (p < pattern.size) {
      char c = pattern.text[p];
      if (c == '*') {
        starP = p++, starT = t;
        continue;
      }
      next = p + 1;
      if (c == '?')
        ok = true;
      else if (c == '[' && matchSet(pattern, p, text.text[t], ok) != p)
        next = matchSet(pattern, p, text.text[t], ok);
      else {
        if (c == '\\' && p + 1 < pattern.size)
          c = pattern.text[p + 1], next = p + 2;
        ok = c == text.text[t];
      }
    }
    if (ok)
      p = next, ++t;
    else if (starP != (size_t)-1)
      p = starP + 1, t = ++starT;
    else
      return false;
  }
  while (p < pattern.size && pattern.text[p] == '*')
    ++p;
  return p == pattern.size;
}

// The length of `name` (demangled) without its parameter list and what follows that: "ns::f" of "ns::f(int) const [clone .cold]".
// The whole length where there is no parameter list.
inline size_t lengthWithoutParameters(Piece name) {
  for (size_t end = name.size; end > 0; --end) {
    if (name.text[end - 1] != ')')
      continue;
    int nesting = 0;
    size_t i = end;
    while (i > 0) {
      char c = name.text[--i];
      nesting += c == ')' ? 1 : c == '(' ? -1 : 0;
      if (nesting == 0)
        break;
    }
    if (nesting != 0)
      return name.size;
    // "operator()(int)": the list is the last pair. " (.resume)", a suffix of the compiler, is not a list.
    if (i > 0 && name.text[i - 1] == ' ' && i + 1 < name.size && name.text[i + 1] == '.') {
      end = i;
      continue;
    }
    return i;
  }
  return name.size;
}

// The names of a function; null for what is not known.
struct Names {
  const char *mangled = nullptr, *demangled = nullptr, *file = nullptr;
};

// Whether `glob` (alternatives allowed) means the function.
inline bool means(const char *glob, const Names &names) {
  Piece mangled = piece(names.mangled), demangled = piece(names.demangled), file = piece(names.file);
  Piece plain = {demangled.text, lengthWithoutParameters(demangled)};
  while (true) {
    size_t n = 0;
    while (glob[n] && glob[n] != '|')
      n += glob[n] == '\\' && glob[n + 1] ? 2 : 1;
    Piece one = {glob, n};
    if ((mangled.size && matchOne(one, mangled)) || (demangled.size && matchOne(one, demangled)) ||
        (plain.size && matchOne(one, plain)) || (file.size && matchOne(one, file)))
      return true;
    if (!glob[n])
      return false;
    glob += n + 1;
  }
}

} // namespace ada::select
#endif
