// Texts that may hold anything, for output.
#include "model/json_string.h"

namespace ada {

// Length of the UTF-8 sequence at the start of `text`, 0 if there is no valid
// one (overlong forms, surrogates and what is beyond U+10FFFF are not).
static size_t utf8Length(std::string_view text) {
  const auto at = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto isTail = [&](size_t i) { return (at(i) & 0xc0) == 0x80; };
  const unsigned lead = at(0);
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf)
    return isTail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!isTail(1) || !isTail(2) || (lead == 0xe0 && at(1) < 0xa0) ||
        (lead == 0xed && at(1) >= 0xa0))
      return 0;
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!isTail(1) || !isTail(2) || !isTail(3) ||
        (lead == 0xf0 && at(1) < 0x90) || (lead == 0xf4 && at(1) >= 0x90))
      return 0;
    return 4;
  }
  return 0;
}

std::string jsonString(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    const char c = text.front();
    if (length == 0)
      json += "\xef\xbf\xbd";
    else if (length > 1)
      json += text.substr(0, length);
    else if (c == '"' || c == '\\')
      (json += '\\') += c;
    else if (c == '\n')
      json += "\\n";
    else if (c == '\t')
      json += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      json += {'\\',
               'u',
               '0',
               '0',
               "0123456789abcdef"[c >> 4],
               "0123456789abcdef"[c & 15]};
    else
      json += c;
    text.remove_prefix(length ? length : 1);
  }
  return json + "\"";
}

std::string oneLine(std::string_view text) {
  std::string line(text);
  for (char &c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return line;
}

} // namespace ada
