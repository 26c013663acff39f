// Values of a call's arguments and of its result, out of its registers.
#include "ada/trace/types.h"

#include "model/json_string.h"
#include "model/number_text.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace ada::types {

//===--- from registers
//-----------------------------------------------------===//

Value Parameter::value(const Registers &registers) const {
  std::array<std::byte, Value::kMostBytes> bytes;
  std::size_t used = 0;
  for (const Piece &piece : where) {
    std::byte general[8];
    Bytes from;
    switch (piece.place) {
    case Piece::Place::General:
      if (piece.number >= registers.general.size())
        return Value(type);
      for (unsigned i = 0; i < 8; ++i)
        general[i] = static_cast<std::byte>(
            registers.general[piece.number] >> (8 * i) & 0xff);
      from = general;
      break;
    case Piece::Place::Vector: {
      const std::uint64_t start =
          std::uint64_t{piece.number} * registers.vectorBytes;
      if (start + registers.vectorBytes > registers.vectors.size())
        return Value(type);
      from = registers.vectors.subspan(start, registers.vectorBytes);
      break;
    }
    case Piece::Place::Stack:
      if (piece.number > registers.stack.size())
        return Value(type);
      from = registers.stack.subspan(piece.number);
      break;
    }
    if (piece.bytes > from.size() || used + piece.bytes > bytes.size())
      return Value(type);
    std::copy_n(from.begin(), piece.bytes,
                bytes.begin() + static_cast<std::ptrdiff_t>(used));
    used += piece.bytes;
  }
  if (used == 0)
    return Value(type);
  return Value(type, Bytes(bytes).first(used), flags);
}

std::string registerName(std::uint8_t arch, unsigned number, bool isReturn) {
  static constexpr const char *kCall[] = {"rdi", "rsi", "rdx", "rcx",
                                          "r8",  "r9",  "rax"};
  if (arch == 1)
    return isReturn                    ? number == 0   ? "rax"
                                         : number == 1 ? "rdx"
                                                       : ""
           : number < std::size(kCall) ? kCall[number]
                                       : "";
  if (number > 7)
    return "";
  return (arch == 2 ? "x" : "r") + std::to_string(number);
}

std::string vectorName(std::uint8_t arch, unsigned number) {
  return (arch == 1 ? "xmm" : "v") + std::to_string(number);
}

//===--- whole calls
//--------------------------------------------------------===//

namespace {

void append(std::string &list, const std::string &text) {
  if (!list.empty())
    list += ", ";
  list += text;
}

void appendVectors(std::string &list, const Registers &registers,
                   std::uint8_t arch, unsigned claimed) {
  if (registers.vectorBytes == 0)
    return;
  std::size_t count = registers.vectors.size() / registers.vectorBytes;
  for (std::size_t i = 0; i < count && i < 32; ++i)
    if (!(claimed >> i & 1))
      append(list, vectorName(arch, static_cast<unsigned>(i)) + "=" +
                       hexOf(registers.vectors.subspan(
                           i * registers.vectorBytes, registers.vectorBytes)));
}

} // namespace

std::string argumentsText(const FunctionTypes &types,
                          const Registers &registers, std::uint8_t arch) {
  std::string list;
  unsigned general = 0, vector = 0; // claimed by parameters
  for (const Parameter &parameter : types.parameters) {
    for (const Piece &piece : parameter.where)
      if (piece.number < 32 && piece.place != Piece::Place::Stack)
        (piece.place == Piece::Place::General ? general : vector) |=
            1u << piece.number;
    std::string value = parameter.value(registers).text();
    append(list, parameter.name.empty()
                     ? value
                     : oneLine(parameter.name) + "=" + value);
  }
  if (types.isWhole) {
    if (types.isVariadic)
      append(list, "…");
    return list;
  }
  // Six on x86-64: the others carry no arguments.
  for (unsigned i = 0; i < registers.general.size() && i < (arch == 1 ? 6 : 8);
       ++i)
    if (!(general >> i & 1))
      append(list,
             registerName(arch, i, false) + "=" + hex(registers.general[i]));
  appendVectors(list, registers, arch, vector);
  return list;
}

std::string resultText(const FunctionTypes &types, const Registers &registers,
                       std::uint8_t arch) {
  if (types.hasResult)
    return types.result.value(registers).text();
  std::string list;
  for (unsigned i = 0; i < registers.general.size() && i < 2; ++i)
    if (i == 0 || registers.general[i] != 0) // few results take two
      append(list,
             registerName(arch, i, true) + "=" + hex(registers.general[i]));
  appendVectors(list, registers, arch, 0);
  return list;
}

// An object with one entry a parameter; `entry` makes its value.
template <class Entry>
static std::string parametersJson(const FunctionTypes &types, Entry &&entry) {
  std::string json = "{";
  std::unordered_set<std::string> keys;
  for (std::size_t i = 0; i < types.parameters.size(); ++i) {
    const Parameter &parameter = types.parameters[i];
    std::string key = oneLine(parameter.name);
    // Nothing keeps a damaged text from having a name twice.
    if (key.empty() || !keys.insert(key).second) {
      key = "#" + std::to_string(i + 1);
      while (!keys.insert(key).second)
        key += '#';
    }
    if (i > 0)
      json += ",";
    json += jsonString(key) + ":" + entry(parameter);
  }
  return json + "}";
}

std::string argumentsJson(const FunctionTypes &types,
                          const Registers &registers) {
  return parametersJson(types, [&](const Parameter &parameter) {
    return parameter.value(registers).json();
  });
}

std::string argumentTypesJson(const FunctionTypes &types) {
  return parametersJson(types, [](const Parameter &parameter) {
    return jsonString(parameter.type.text());
  });
}

std::string resultJson(const FunctionTypes &types, const Registers &registers) {
  return types.hasResult ? types.result.value(registers).json() : "null";
}

} // namespace ada::types
