// Says for which arguments of a function the contents are recorded: 'open*(path:str, flags)'.
//
// One glob of option `detail`, followed by a list in parentheses:
//   name:str     text
//   name:fields  what a pointer points to, by field or element
//   name:N       the same for either, N bytes of it
//   name         no contents, like all arguments that the list does not name
// `return` is the result. A text without a single ':' in its last parentheses has no list: "f(int, std::string)".
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include "shared/options/numbers.h"
#include "shared/text/text_piece.h"

namespace ada::select {

struct DetailGlob {
  TextPiece glob;      // without the list
  TextPiece arguments; // the text in the parentheses; data is null if there are none
};

// Splits one glob, without '|'.
inline DetailGlob splitArguments(TextPiece text) {
  if (!text.endsWith(")"))
    return {text, {}};
  bool hasForm = false;
  for (size_t i = text.size - 1; i-- > 0;) {
    if (text[i] == '(')
      return hasForm ? DetailGlob{text.first(i), text.from(i + 1).first(text.size - i - 2)} : DetailGlob{text, {}};
    if (text[i] == ')')
      break;
    hasForm |= i > 0 && text[i] == ':' && text[i - 1] != ':' && text[i + 1] != ':';
  }
  return {text, {}};
}

struct ArgumentWish {
  enum class Form : uint8_t { None, Text, Fields, Bytes } form = Form::None;
  uint64_t bytes = 0; // with Bytes
  TextPiece name;
};

// Takes the first argument off `list`. False if it is not valid.
inline bool takeArgument(TextPiece &list, ArgumentWish &wish) {
  size_t end = 0;
  while (end < list.size && list[end] != ',')
    ++end;
  TextPiece one = list.first(end);
  list = list.from(end < list.size ? end + 1 : end);
  while (!one.empty() && one[0] == ' ')
    one = one.from(1);
  while (one.endsWith(" "))
    one.size--;
  wish = {};
  size_t colon = 0;
  while (colon < one.size && one[colon] != ':')
    ++colon;
  wish.name = one.first(colon);
  if (colon == one.size)
    return !one.empty();
  TextPiece form = one.from(colon + 1);
  if (form == "str")
    wish.form = ArgumentWish::Form::Text;
  else if (form == "fields")
    wish.form = ArgumentWish::Form::Fields;
  else if (options::takeNumber(form, wish.bytes) && form.empty() && wish.bytes > 0 && wish.bytes <= 256)
    wish.form = ArgumentWish::Form::Bytes;
  return colon > 0 && wish.form != ArgumentWish::Form::None;
}

// Whether all of `list` is valid.
inline bool isArgumentList(TextPiece list) {
  ArgumentWish wish;
  do
    if (!takeArgument(list, wish))
      return false;
  while (!list.empty());
  return true;
}

} // namespace ada::select
