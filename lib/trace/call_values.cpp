// Gets the values of a call's arguments and of its result from its registers.
#include "ada/trace/types.h"

#include "shared/arch.h"
#include "trace/base/json.h"
#include "trace/base/number_text.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace ada::types {

//===--- from registers ---------------------------------------------------===//

static uint64_t lowBits(uint32_t count) { return count < 64 ? (uint64_t{1} << count) - 1 : ~uint64_t{0}; }

Value Parameter::value(const Registers &registers) const {
  std::array<std::byte, Value::kMaxBytes> bytes;
  size_t used = 0;
  uint64_t leftOut = 0;
  for (const Piece &piece : where) {
    std::byte general[8];
    Bytes from;
    switch (piece.place) {
    case Piece::Place::General:
      if (piece.number >= registers.general.size())
        return Value(type);
      for (unsigned i = 0; i < 8; ++i)
        general[i] = static_cast<std::byte>(registers.general[piece.number] >> (8 * i) & 0xff);
      from = general;
      break;
    case Piece::Place::Vector: {
      const uint64_t start = uint64_t{piece.number} * registers.vectorBytes;
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
    case Piece::Place::Memory: {
      const auto there = std::ranges::find(registers.contents, piece.number, &Contents::where);
      if (there == registers.contents.end())
        return Value(type);
      from = there->bytes;
      break;
    }
    case Piece::Place::LeftOut:
      if (used + piece.bytes > bytes.size())
        return Value(type);
      leftOut |= lowBits(piece.bytes) << used;
      std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(used), piece.bytes, std::byte{0});
      used += piece.bytes;
      continue;
    }
    // The first bytes of a value in memory or on the stack may be all that was recorded.
    const bool isInMemory = piece.place == Piece::Place::Stack || piece.place == Piece::Place::Memory;
    const bool mayEnd = isInMemory && &piece == &where.back();
    const size_t known = mayEnd ? std::min<size_t>(piece.bytes, from.size()) : piece.bytes;
    if (known > from.size() || used + known > bytes.size())
      return Value(type);
    std::copy_n(from.begin(), known, bytes.begin() + static_cast<ptrdiff_t>(used));
    used += known;
  }
  if (used == 0)
    return Value(type);
  return Value(type, Bytes(bytes).first(used), flags, leftOut);
}

const Contents *Parameter::contents(const Registers &registers) const {
  if (where.empty() || registers.contents.empty())
    return nullptr;
  const bool isInMemory = where[0].place == Piece::Place::Vector;
  if (!isInMemory && where[0].place != Piece::Place::General)
    return nullptr;
  const auto found = std::ranges::find_if(registers.contents, [&](const Contents &c) {
    return isInMemory ? c.where == Contents::kOfResult : c.where == where[0].number;
  });
  return found == registers.contents.end() ? nullptr : &*found;
}

static std::string_view charactersOf(const Contents &contents) {
  return {reinterpret_cast<const char *>(contents.bytes.data()), contents.bytes.size()};
}

std::string Contents::text() const {
  if (isUnreadable && bytes.empty())
    return "(unreadable)";
  std::string text = jsonString(charactersOf(*this));
  if (isWhole())
    return text;
  text += "…";
  if (length)
    text += " (" + formatCount(*length, "byte") + ")";
  return isUnreadable ? text + " (unreadable)" : text;
}

std::string Contents::json() const {
  std::string text(charactersOf(*this));
  return jsonString(isWhole() ? text : text + "…");
}

std::string registerName(uint8_t arch, unsigned number, bool isReturn) {
  const ArchInfo &info = archInfo(arch);
  const char *name = number < std::size(info.onCall) ? (isReturn ? info.onReturn : info.onCall)[number] : nullptr;
  return name ? name : "";
}

std::string vectorName(uint8_t arch, unsigned number) { return archInfo(arch).vectorPrefix + std::to_string(number); }

//===--- whole calls ------------------------------------------------------===//

namespace {

void append(std::string &list, const std::string &text) {
  if (!list.empty())
    list += ", ";
  list += text;
}

std::string valueText(const Parameter &parameter, const Registers &registers) {
  if (parameter.isLeftOut)
    return "<unused>";
  const Contents *contents = parameter.contents(registers);
  if (!contents)
    return parameter.value(registers).text();
  const bool isAddress = contents->isUnreadable && contents->bytes.empty();
  return isAddress ? parameter.value(registers).text() + " " + contents->text() : contents->text(parameter.type);
}

std::string valueJson(const Parameter &parameter, const Registers &registers) {
  const Contents *contents = parameter.isLeftOut ? nullptr : parameter.contents(registers);
  const bool isText = contents && !(contents->isUnreadable && contents->bytes.empty());
  return isText ? contents->json(parameter.type) : parameter.value(registers).json();
}

void appendVectors(std::string &list, const Registers &registers, uint8_t arch, unsigned claimed) {
  if (registers.vectorBytes == 0)
    return;
  size_t count = registers.vectors.size() / registers.vectorBytes;
  for (size_t i = 0; i < count && i < 32; ++i)
    if (!(claimed >> i & 1))
      append(list, vectorName(arch, static_cast<unsigned>(i)) + "=" +
                       hexOf(registers.vectors.subspan(i * registers.vectorBytes, registers.vectorBytes)));
}

} // namespace

std::string argumentsText(const FunctionTypes &types, const Registers &registers, uint8_t arch) {
  std::string list;
  unsigned general = 0, vector = 0; // claimed by parameters
  for (const Parameter &parameter : types.parameters) {
    for (const Piece &piece : parameter.where)
      if (piece.number < 32 && (piece.place == Piece::Place::General || piece.place == Piece::Place::Vector))
        (piece.place == Piece::Place::General ? general : vector) |= 1u << piece.number;
    std::string value = valueText(parameter, registers);
    append(list, parameter.name.empty() ? value : oneLine(parameter.name) + "=" + value);
  }
  if (types.isWhole) {
    if (types.isVariadic)
      append(list, "…");
    return list;
  }
  for (unsigned i = 0; i < registers.general.size() && i < archInfo(arch).argumentRegisters; ++i)
    if (!(general >> i & 1))
      append(list, registerName(arch, i, false) + "=" + hex(registers.general[i]));
  appendVectors(list, registers, arch, vector);
  return list;
}

std::optional<uint32_t> errorOf(const FunctionTypes &types, const Registers &registers) {
  constexpr size_t kErrno = 7;
  if (!types.isExternal || !types.hasResult || registers.general.size() <= kErrno)
    return std::nullopt;
  const Value result = types.result.value(registers);
  const Kind kind = result.type().kind;
  const std::span<const std::byte> bytes = result.bytes();
  const auto all = [&](std::byte value) {
    return !bytes.empty() && std::ranges::all_of(bytes, [=](std::byte byte) { return byte == value; });
  };
  const bool hasFailed = result.isKnown() && ((kind == Kind::Signed && result.asSigned() == -1) ||
                                              (kind == Kind::Pointer && (all(std::byte{0}) || all(std::byte{0xff}))));
  const uint64_t number = registers.general[kErrno];
  return hasFailed && number != 0 && number <= 0xffffffffu ? std::optional(static_cast<uint32_t>(number))
                                                           : std::nullopt;
}

std::string resultText(const FunctionTypes &types, const Registers &registers, uint8_t arch) {
  const std::optional<uint32_t> error = errorOf(types, registers);
  if (types.hasResult)
    return valueText(types.result, registers) + (error ? " (" + errorName(*error) + ")" : "");
  std::string list;
  for (unsigned i = 0; i < registers.general.size() && i < 2; ++i)
    if (i == 0 || registers.general[i] != 0) // few results take two
      append(list, registerName(arch, i, true) + "=" + hex(registers.general[i]));
  appendVectors(list, registers, arch, 0);
  return list;
}

// An object with one entry per parameter; `entry` makes its value.
template <class Entry> static std::string parametersJson(const FunctionTypes &types, Entry &&entry) {
  std::string json = "{";
  std::unordered_set<std::string> keys;
  for (size_t i = 0; i < types.parameters.size(); ++i) {
    const Parameter &parameter = types.parameters[i];
    std::string key = oneLine(parameter.name);
    // A damaged text may have a name twice.
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

std::string argumentsJson(const FunctionTypes &types, const Registers &registers) {
  return parametersJson(types, [&](const Parameter &parameter) { return valueJson(parameter, registers); });
}

std::string argumentTypesJson(const FunctionTypes &types) {
  return parametersJson(types, [](const Parameter &parameter) { return jsonString(parameter.type.text()); });
}

std::string resultJson(const FunctionTypes &types, const Registers &registers) {
  return types.hasResult ? valueJson(types.result, registers) : "null";
}

} // namespace ada::types
