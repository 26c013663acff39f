// Texts that may hold anything: UTF-8 or not, and made safe to show.
#include "text.h"

#include "shared/text/shell_word.h"
#include "shared/text/utf8.h"

#include <algorithm>

namespace ada {

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = decodeUtf8(text.data(), text.size());
    if (!c.valid)
      return false;
    text.remove_prefix(c.size);
  }
  return true;
}

std::string validUtf8(std::string_view text) {
  if (isUtf8(text))
    return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decodeUtf8(text.data(), text.size());
    out += c.valid ? text.substr(0, c.size) : std::string_view(kReplacementUtf8);
    text.remove_prefix(c.size);
  }
  return out;
}

std::string oneLine(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    // Nearly all text consists of this alone.
    size_t plain = 0;
    while (plain < text.size() && text[plain] >= ' ' && text[plain] < 0x7f)
      ++plain;
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty())
      break;
    const CodePoint c = decodeUtf8(text.data(), text.size());
    if (!c.valid)
      out += kReplacementUtf8;
    else if (isUnprintable(c.value))
      out += '?';
    else
      out += text.substr(0, c.size);
    text.remove_prefix(c.size);
  }
  return out;
}

static size_t widthOf(uint32_t c) {
  if ((c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) || (c >= 0xfe00 && c <= 0xfe0f))
    return 0;
  return c >= 0x1100 &&
                 (c <= 0x115f || c == 0x2329 || c == 0x232a || (c >= 0x2e80 && c <= 0xa4cf && c != 0x303f) ||
                  (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) ||
                  (c >= 0xff00 && c <= 0xff60) || (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1f64f) ||
                  (c >= 0x1f900 && c <= 0x1f9ff) || (c >= 0x20000 && c <= 0x3fffd))
             ? 2
             : 1;
}

size_t displayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = decodeUtf8(text.data(), text.size());
    width += widthOf(c.value);
    text.remove_prefix(c.size);
  }
  return width;
}

std::string fitted(std::string_view text, size_t columns) {
  if (displayWidth(text) <= columns)
    return std::string(text);
  size_t width = 0, size = 0;
  while (columns && size < text.size()) {
    const CodePoint c = decodeUtf8(text.data() + size, text.size() - size);
    if ((width += widthOf(c.value)) > columns - 1)
      break;
    size += c.size;
  }
  return std::string(text.substr(0, size)) + (columns ? "…" : "");
}

std::string quotedForShell(std::string_view word) {
  std::string text;
  putShellWord(word.data(), word.size(), [&](char c) { text += c; });
  return text;
}

std::string pathForShell(std::string_view path) {
  if (path == "-")
    return "FILE";
  // It could be taken for an option, or for the number of a process.
  const bool looksLikeNoPath =
      !path.empty() && (path[0] == '-' || path.find_first_not_of("0123456789") == std::string_view::npos);
  return quotedForShell((looksLikeNoPath ? "./" : "") + std::string(path));
}

std::vector<std::string_view> partsOf(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (!part.empty())
      parts.push_back(part);
  }
  return parts;
}

} // namespace ada
