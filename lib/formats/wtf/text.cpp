// The text encodings of the format.
#include "text.h"

#include <algorithm>

namespace ada::wtf::text {

void appendUtf8(std::string &out, uint32_t codePoint) {
  char bytes[4];
  out.append(bytes, encodeUtf8(codePoint, bytes));
}

bool isAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string latin1ToUtf8(std::string_view latin1) {
  std::string out;
  out.reserve(latin1.size() + latin1.size() / 4);
  for (char c : latin1)
    appendUtf8(out, static_cast<unsigned char>(c));
  return out;
}

bool utf8ToLatin1(std::string_view utf8, std::string &out) {
  out.clear();
  for (size_t pos = 0; pos < utf8.size();) {
    const CodePoint c = decodeAt(utf8, pos);
    if (!c.valid || c.value > 0xFF)
      return false;
    out += static_cast<char>(c.value);
    pos += c.size;
  }
  return true;
}

bool hasSurrogates(std::string_view cesu8) {
  for (size_t pos = cesu8.find('\xED'); pos != std::string_view::npos; pos = cesu8.find('\xED', pos + 1))
    if (pos + 1 < cesu8.size() && static_cast<unsigned char>(cesu8[pos + 1]) >= 0xA0)
      return true;
  return false;
}

std::string cesu8ToUtf8(std::string_view cesu8) {
  std::string out;
  out.reserve(cesu8.size());
  const auto byte = [&](size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(cesu8[at])); };
  for (size_t pos = 0; pos < cesu8.size();) {
    const bool pair = cesu8.size() - pos >= 6 && byte(pos) == 0xED && (byte(pos + 1) & 0xF0) == 0xA0 &&
                      (byte(pos + 2) & 0xC0) == 0x80 && byte(pos + 3) == 0xED && (byte(pos + 4) & 0xF0) == 0xB0 &&
                      (byte(pos + 5) & 0xC0) == 0x80;
    if (!pair) {
      out += cesu8[pos++];
      continue;
    }
    const unsigned high = (byte(pos + 1) & 0x0F) << 6 | (byte(pos + 2) & 0x3F);
    const unsigned low = (byte(pos + 4) & 0x0F) << 6 | (byte(pos + 5) & 0x3F);
    appendUtf8(out, 0x10000 + (high << 10 | low));
    pos += 6;
  }
  return out;
}

bool utf8ToCesu8(std::string_view utf8, std::string &out, size_t &units) {
  out.clear();
  units = 0;
  for (size_t pos = 0; pos < utf8.size();) {
    const CodePoint c = decodeAt(utf8, pos);
    if (!c.valid)
      return false;
    if (c.value < 0x10000) {
      out += utf8.substr(pos, c.size);
      ++units;
    } else {
      appendUtf8(out, 0xD800 + ((c.value - 0x10000) >> 10));
      appendUtf8(out, 0xDC00 + ((c.value - 0x10000) & 0x3FF));
      units += 2;
    }
    pos += c.size;
  }
  return true;
}

} // namespace ada::wtf::text
