// The text encodings of the format: UTF-8 inside the library, Latin-1 and CESU-8 in files.
//
// CESU-8 writes each UTF-16 unit of a text separately as UTF-8: up to U+FFFF it is the same as UTF-8, and above that it
// takes two times three bytes. Existing readers of version 3 count UTF-16 units and go wrong on 4-byte sequences.
#pragma once

#include "shared/text/utf8.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ada::wtf::text {

/// The code point at `pos` (less than the size). Surrogates count as valid: text from JavaScript may hold lone ones.
inline CodePoint decodeAt(std::string_view text, size_t pos) {
  return decodeUtf8(text.data() + pos, text.size() - pos, Surrogates::Accepted);
}

/// Surrogates become 3 bytes.
void appendUtf8(std::string &out, uint32_t codePoint);

/// True if no byte is above 0x7F.
bool isAscii(std::string_view text);

std::string latin1ToUtf8(std::string_view latin1);
/// False if there is a character above U+00FF, or the text is not UTF-8.
bool utf8ToLatin1(std::string_view utf8, std::string &out);

/// True if the text may have a surrogate pair, so that cesu8ToUtf8() would change it.
bool hasSurrogates(std::string_view cesu8);
/// Joins surrogate pairs. Everything else stays, including UTF-8 of 4 bytes.
std::string cesu8ToUtf8(std::string_view cesu8);

/// The text as CESU-8 and its number of UTF-16 units. False if it is not UTF-8.
bool utf8ToCesu8(std::string_view utf8, std::string &out, size_t &units);

} // namespace ada::wtf::text
