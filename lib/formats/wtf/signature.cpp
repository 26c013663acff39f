// Argument types and their names; the grammar of argument lists.
//
// The grammar is that of the existing readers. They match each argument with
//     spaces, then letters, digits, spaces, [ ] < >, then one space, then a name
// and take as much as they can for the type. So "int32 x y" has the unknown type "int32 x", and "int32 x@3" is x.
#include "ada/trace/wtf/format.h"

#include "bytes.h"

#include <algorithm>
#include <array>

namespace ada::wtf {
namespace {

struct TypeInfo {
  ArgType type;
  std::string_view name;
  unsigned width; // of a scalar or an element; 0 for text
  ArgType element;
};

// In the order of ArgType.
constexpr std::array<TypeInfo, 24> kTypes = {{
    {ArgType::Bool, "bool", 1, ArgType::Bool},
    {ArgType::Int8, "int8", 1, ArgType::Int8},
    {ArgType::Uint8, "uint8", 1, ArgType::Uint8},
    {ArgType::Int16, "int16", 2, ArgType::Int16},
    {ArgType::Uint16, "uint16", 2, ArgType::Uint16},
    {ArgType::Int32, "int32", 4, ArgType::Int32},
    {ArgType::Uint32, "uint32", 4, ArgType::Uint32},
    {ArgType::Float32, "float32", 4, ArgType::Float32},
    {ArgType::Ascii, "ascii", 0, ArgType::Ascii},
    {ArgType::Utf8, "utf8", 0, ArgType::Utf8},
    {ArgType::Any, "any", 0, ArgType::Any},
    {ArgType::FlowId, "flowId", 4, ArgType::FlowId},
    {ArgType::Time32, "time32", 4, ArgType::Time32},
    {ArgType::Int8Array, "int8[]", 1, ArgType::Int8},
    {ArgType::Uint8Array, "uint8[]", 1, ArgType::Uint8},
    {ArgType::Int16Array, "int16[]", 2, ArgType::Int16},
    {ArgType::Uint16Array, "uint16[]", 2, ArgType::Uint16},
    {ArgType::Int32Array, "int32[]", 4, ArgType::Int32},
    {ArgType::Uint32Array, "uint32[]", 4, ArgType::Uint32},
    {ArgType::Float32Array, "float32[]", 4, ArgType::Float32},
    {ArgType::Char, "char", 1, ArgType::Char},
    {ArgType::Wchar, "wchar", 2, ArgType::Wchar},
    {ArgType::CharArray, "char[]", 1, ArgType::Char},
    {ArgType::WcharArray, "wchar[]", 2, ArgType::Wchar},
}};

const TypeInfo &infoOf(ArgType type) { return kTypes[static_cast<unsigned>(type)]; }

struct Alias {
  std::string_view alias, name;
};
constexpr std::array<Alias, 8> kAliases = {{{"byte", "int8"},
                                            {"octet", "uint8"},
                                            {"short", "int16"},
                                            {"unsigned short", "uint16"},
                                            {"long", "int32"},
                                            {"unsigned long", "uint32"},
                                            {"float", "float32"},
                                            {"DOMString", "utf8"}}};

std::optional<ArgType> typeOf(std::string_view text, Dialect dialect) {
  bool array = false;
  if (text.ends_with("[]")) {
    array = true;
    text.remove_suffix(2);
  } else if (text.starts_with("sequence<") && text.ends_with('>')) {
    array = true;
    text = text.substr(9, text.size() - 10);
  }
  for (const Alias &alias : kAliases)
    if (text == alias.alias)
      text = alias.name;
  const std::string name = std::string(text) + (array ? "[]" : "");
  for (const TypeInfo &info : kTypes)
    if (info.name == name && (info.type < ArgType::Char || dialect == Dialect::Chunked))
      return info.type;
  return std::nullopt;
}

bool isNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool isTypeChar(char c) {
  return (isNameChar(c) && c != '_') || c == ' ' || c == '[' || c == ']' || c == '<' || c == '>';
}

} // namespace

ArgType elementType(ArgType array) { return infoOf(array).element; }
unsigned widthOf(ArgType type) { return infoOf(type).width; }
std::string_view typeName(ArgType type) { return infoOf(type).name; }

Expected<std::vector<ArgDef>> parseSignature(std::string_view args, Dialect dialect) {
  std::vector<ArgDef> defs;
  if (args.empty())
    return defs;
  for (size_t begin = 0; begin <= args.size();) {
    const size_t end = std::min(args.find(',', begin), args.size());
    std::string_view one = args.substr(begin, end - begin);
    begin = end + 1;
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));

    const size_t run = static_cast<size_t>(std::find_if_not(one.begin(), one.end(), isTypeChar) - one.begin());
    size_t space = run; // the last space in the run that a name follows
    do
      space = space ? one.rfind(' ', space - 1) : std::string_view::npos;
    while (space != std::string_view::npos && (space + 1 >= one.size() || !isNameChar(one[space + 1])));

    const auto fail = [&](const std::string &why) {
      Error error = errorOf("E_BAD_SIGNATURE", "the argument \"" + std::string(one) + "\" of an event type " + why);
      error.field = "args";
      return error;
    };
    if (space == std::string_view::npos || space == 0)
      return fail("is not a type, one space and a name");
    const std::optional<ArgType> type = typeOf(one.substr(0, space), dialect);
    if (!type)
      return fail("is of type \"" + std::string(one.substr(0, space)) + "\", which the format does not have");
    const std::string_view rest = one.substr(space + 1);
    const auto nameEnd = std::find_if_not(rest.begin(), rest.end(), isNameChar);
    defs.push_back({*type, std::string(rest.begin(), nameEnd)});
  }
  return defs;
}

} // namespace ada::wtf
