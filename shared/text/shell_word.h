// A word as a shell takes it, for commands in messages.
//
// Freestanding: the tool and the runtime, which has no libc, print commands that a user copies into a shell.
#pragma once

#include "utf8.h"

namespace ada {

/// Whether a shell takes the text as it is. `=` at the start is a command's path in zsh.
constexpr bool isPlainShellWord(const char *text, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const char c = text[i];
    bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    for (const char *other = "-_./+,:@%="; *other; ++other)
      isPlain = isPlain || (c == *other && (c != '=' || i > 0));
    if (!isPlain)
      return false;
  }
  return size > 0;
}

/// Gives put() the bytes of the word: plain, as 'a b', or, if it has characters that a terminal must not be given, as
/// $'a\nb', which bash, zsh, ksh and POSIX.1-2024 read. The result is one line without such characters.
template <typename Put> constexpr void putShellWord(const char *text, size_t size, Put put) {
  if (isPlainShellWord(text, size)) {
    for (size_t i = 0; i < size; ++i)
      put(text[i]);
    return;
  }
  const auto isHidden = [&](size_t at, CodePoint &c) {
    c = decodeUtf8(text + at, size - at);
    return !c.valid || isUnprintable(c.value);
  };
  CodePoint c = {};
  bool hidesSome = false;
  for (size_t at = 0; at < size; at += c.size)
    hidesSome = isHidden(at, c) || hidesSome;
  const auto octal = [&](char byte) {
    const auto value = static_cast<unsigned char>(byte);
    put('\\');
    for (int shift = 6; shift >= 0; shift -= 3)
      put(static_cast<char>('0' + (value >> shift & 7)));
  };
  if (hidesSome)
    put('$');
  put('\'');
  for (size_t at = 0; at < size; at += c.size) {
    const bool escapes = isHidden(at, c);
    for (size_t i = at; i < at + c.size; ++i) {
      const char byte = text[i];
      if (escapes)
        octal(byte);
      else if (!hidesSome && byte == '\'')
        for (const char *end = "'\\''"; *end; ++end)
          put(*end);
      else if (hidesSome && (byte == '\'' || byte == '\\'))
        put('\\'), put(byte);
      else
        put(byte);
    }
  }
  put('\'');
}

} // namespace ada
