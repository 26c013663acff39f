// Writes the parts of types.
#include "type_grammar.h"

#include <algorithm>
#include <cstring>

namespace ada::pass {

std::string placeText(const ValuePiece *pieces, size_t count) {
  using Where = ValuePiece::Where;
  std::string text;
  bool isLeftOut = true;
  for (const ValuePiece *piece = pieces; piece != pieces + count; ++piece) {
    const bool isInMemory = piece->where == Where::Stack || piece->where == Where::Memory;
    if (piece->bytes > 16 && !isInMemory)
      return "-";
    text += text.empty() ? "" : "+";
    if (piece->where == Where::LeftOut)
      text += '!';
    else
      text += (piece->where == Where::Stack    ? 'm'
               : piece->where == Where::Memory ? '@'
               : piece->where == Where::Vector ? 'v'
                                               : 'i') +
              std::to_string(piece->number);
    if (piece->bytes != 8)
      text += "." + std::to_string(std::min(piece->bytes, kMaxShownBytes));
    isLeftOut &= piece->where == Where::LeftOut;
  }
  return text.empty() ? "-" : isLeftOut ? "!" : text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c && std::strchr(":;,|=@+(){}\\", c))
      result += '\\';
    result += c;
  }
  return result;
}

std::string withoutContents(const std::string &type) {
  const bool isPointer = type.compare(0, 2, "p(") == 0 || type.compare(0, 2, "r(") == 0;
  size_t at = isPointer ? 2 : type.find(":p(");
  if (at == std::string::npos)
    return type;
  for (at += isPointer ? 0 : 3; at < type.size() && type[at] != ')'; ++at)
    at += type[at] == '\\';
  return isPointer ? type.substr(0, at + 1) + "-" : type.substr(0, at + 1) + "-" + type.substr(at + 1);
}

} // namespace ada::pass
