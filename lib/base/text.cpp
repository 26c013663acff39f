// Texts that may hold anything: UTF-8 or not, and made safe to show.
#include "text.h"

#include "shared/text/utf8.h"

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

} // namespace ada
