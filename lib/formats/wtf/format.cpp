// Dialects, built-in event types, argument values.
#include "ada/trace/wtf/format.h"

#include "bytes.h"
#include "json_text.h"
#include "text.h"
#include "trace/base/json.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace ada::wtf {

std::string_view dialectName(Dialect dialect) {
  switch (dialect) {
  case Dialect::BigEndian:
    return "v3-big-endian";
  case Dialect::LittleEndian:
    return "v3-little-endian";
  case Dialect::Chunked:
    return "CFF v10";
  }
  return "unknown";
}

bool hasMagic(std::span<const std::byte> head) {
  if (head.size() < 4)
    return false;
  const uint32_t magic = load32(head.data(), true);
  return magic == 0xDEADBEEF || magic == 0xEFBEADDE;
}

Expected<Dialect> sniff(std::span<const std::byte> head) {
  if (head.size() >= 4 && !hasMagic(head)) {
    Error error = errorAt("E_BAD_MAGIC", 0, "this is not a wtf-trace file");
    error.field = "magic number";
    error.expected = "DE AD BE EF or EF BE AD DE";
    const auto byte = [&](int i) { return load8(head.data() + i); };
    char found[12];
    std::snprintf(found, sizeof found, "%02X %02X %02X %02X", byte(0), byte(1), byte(2), byte(3));
    error.found = found;
    return error;
  }
  if (head.size() < 12)
    return errorAt("E_TRUNCATED", 0, "the file ends inside its first 12 bytes");
  const bool big = load32(head.data(), true) == 0xDEADBEEF;
  const uint32_t version = load32(head.data() + 8, big);
  if (version == 3)
    return big ? Dialect::BigEndian : Dialect::LittleEndian;
  if (version == 10 && !big)
    return Dialect::Chunked;
  std::string why = "there is no such version of the format";
  if (big && version == 10)
    why = "this is the big-endian chunked form of June 2013, which no released program opens";
  else if (big && (version == 1 || version == 2))
    why = "versions 1 and 2 are from before the first release and are not readable";
  Error error = errorAt("E_BAD_VERSION", 8, why);
  error.field = "format version";
  error.expected = big ? "3" : "3 or 10";
  error.found = std::to_string(version);
  return error;
}

std::optional<int64_t> FileHeader::absoluteNs(uint64_t timeUs) const {
  int64_t ns, add;
  if (timeUs > static_cast<uint64_t>(INT64_MAX) || __builtin_mul_overflow(timebaseMs, 1'000'000, &ns) ||
      __builtin_mul_overflow(static_cast<int64_t>(timeUs), 1000, &add) || __builtin_add_overflow(ns, add, &ns) ||
      __builtin_add_overflow(ns, int64_t{timebaseNs}, &ns))
    return std::nullopt;
  return ns;
}

std::span<const BuiltIn, 17> builtIns() {
  static constexpr std::array<BuiltIn, 17> kAll = {{
      {Role::Define, kInstance, 40, "wtf.event#define",
       "uint16 wireId, uint16 eventClass, uint32 flags, ascii name, ascii args"},
      {Role::Discontinuity, kInstance, 32, "wtf.trace#discontinuity", ""},
      {Role::ZoneCreate, kInstance, 40, "wtf.zone#create", "uint16 zoneId, ascii name, ascii type, ascii location"},
      {Role::ZoneDelete, kInstance, 40, "wtf.zone#delete", "uint16 zoneId"},
      {Role::ZoneSet, kInstance, 40, "wtf.zone#set", "uint16 zoneId"},
      {Role::ScopeEnter, kScope, 32, "wtf.scope#enter", "ascii name"},
      {Role::EnterTracing, kScope, 44, "wtf.scope#enterTracing", ""},
      {Role::ScopeLeave, kInstance, 40, "wtf.scope#leave", ""},
      {Role::AppendData, kInstance, 56, "wtf.scope#appendData", "ascii name, any value"},
      {Role::FlowBranch, kInstance, 40, "wtf.flow#branch", "flowId id, flowId parentId, ascii name, any value"},
      {Role::FlowExtend, kInstance, 40, "wtf.flow#extend", "flowId id, ascii name, any value"},
      {Role::FlowTerminate, kInstance, 40, "wtf.flow#terminate", "flowId id, any value"},
      {Role::FlowAppendData, kInstance, 104, "wtf.flow#appendData", "flowId id, ascii name, any value"},
      {Role::Mark, kInstance, 40, "wtf.trace#mark", "ascii name, any value"},
      {Role::TimeStamp, kInstance, 32, "wtf.trace#timeStamp", "ascii name, any value"},
      {Role::RangeBegin, kInstance, 40, "wtf.timeRange#begin", "uint32 id, ascii name, any value"},
      {Role::RangeEnd, kInstance, 40, "wtf.timeRange#end", "uint32 id"},
  }};
  return kAll;
}

int EventType::indexOf(std::string_view argName) const {
  for (size_t i = 0; i < argDefs.size(); ++i)
    if (argDefs[i].name == argName)
      return static_cast<int>(i);
  return -1;
}

namespace {

template <class T> ArrayView viewOf(ArgType element, std::span<const T> values) {
  return {element, std::endian::native == std::endian::big, reinterpret_cast<const std::byte *>(values.data()),
          static_cast<uint32_t>(values.size())};
}

int64_t widen(ArgType type, uint32_t bits) {
  switch (type) {
  case ArgType::Int8:
    return static_cast<int8_t>(bits);
  case ArgType::Int16:
    return static_cast<int16_t>(bits);
  case ArgType::Int32:
    return static_cast<int32_t>(bits);
  default:
    return bits;
  }
}

void appendNumber(std::string &out, int64_t value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// The shortest text that reads back as the same float.
void appendNumber(std::string &out, float value) {
  char digits[48];
  const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr - digits);
  if (std::isfinite(value))
    out += text;
  else
    appendJsonString(out, text);
}

/// Char and Wchar elements are characters: Latin-1 and UTF-16.
void appendCharacters(std::string &out, const ArrayView &array) {
  std::string cesu8;
  for (uint32_t i = 0; i < array.size(); ++i)
    text::appendUtf8(cesu8, static_cast<uint32_t>(array.integer(i)));
  appendJsonString(out, text::cesu8ToUtf8(cesu8));
}

} // namespace

ArrayView ArrayView::of(std::span<const int8_t> values) { return viewOf(ArgType::Int8, values); }
ArrayView ArrayView::of(std::span<const uint8_t> values) { return viewOf(ArgType::Uint8, values); }
ArrayView ArrayView::of(std::span<const int16_t> values) { return viewOf(ArgType::Int16, values); }
ArrayView ArrayView::of(std::span<const uint16_t> values) { return viewOf(ArgType::Uint16, values); }
ArrayView ArrayView::of(std::span<const int32_t> values) { return viewOf(ArgType::Int32, values); }
ArrayView ArrayView::of(std::span<const uint32_t> values) { return viewOf(ArgType::Uint32, values); }
ArrayView ArrayView::of(std::span<const float> values) { return viewOf(ArgType::Float32, values); }

int64_t ArrayView::integer(uint32_t index) const {
  const unsigned width = widthOf(elementKind_);
  const std::byte *p = bytes_ + size_t{index} * width;
  return widen(elementKind_, width == 1 ? load8(p) : width == 2 ? load16(p, msbFirst_) : load32(p, msbFirst_));
}

float ArrayView::number(uint32_t index) const {
  return std::bit_cast<float>(load32(bytes_ + size_t{index} * 4, msbFirst_));
}

Arg Arg::float32(float value) { return scalar(ArgType::Float32, std::bit_cast<uint32_t>(value)); }

Arg Arg::arrayArg(ArrayView view) {
  static constexpr ArgType kArrays[] = {
      ArgType::Int8Array, // for Bool, which has no array type
      ArgType::Int8Array,  ArgType::Uint8Array,  ArgType::Int16Array,   ArgType::Uint16Array,
      ArgType::Int32Array, ArgType::Uint32Array, ArgType::Float32Array,
  };
  Arg arg;
  arg.type = view.element() == ArgType::Char    ? ArgType::CharArray
             : view.element() == ArgType::Wchar ? ArgType::WcharArray
                                                : kArrays[static_cast<unsigned>(view.element()) & 7];
  arg.array = view;
  return arg;
}

int64_t Arg::integer() const { return widen(type, bits); }
float Arg::number() const { return std::bit_cast<float>(bits); }

void appendJson(std::string &out, const Arg &arg) {
  if (arg.isNull) {
    out += "null";
    return;
  }
  switch (arg.type) {
  case ArgType::Bool:
    out += arg.bits ? "true" : "false";
    return;
  case ArgType::Float32:
    appendNumber(out, arg.number());
    return;
  case ArgType::Ascii:
  case ArgType::Utf8:
    appendJsonString(out, arg.text);
    return;
  case ArgType::Any:
    if (arg.validJson || json::valid(arg.text))
      json::appendCompact(out, arg.text);
    else
      appendJsonString(out, arg.text);
    return;
  case ArgType::Time32: {
    appendNumber(out, int64_t{arg.bits / 1000});
    if (const uint32_t us = arg.bits % 1000) {
      std::string fraction = std::to_string(1000 + us);
      fraction.erase(fraction.find_last_not_of('0') + 1);
      out += '.' + fraction.substr(1);
    }
    return;
  }
  case ArgType::Char:
  case ArgType::Wchar: {
    std::string one;
    text::appendUtf8(one, arg.bits);
    appendJsonString(out, one);
    return;
  }
  case ArgType::CharArray:
  case ArgType::WcharArray:
    appendCharacters(out, arg.array);
    return;
  default:
    break;
  }
  if (!isArray(arg.type)) {
    appendNumber(out, arg.integer());
    return;
  }
  out += '[';
  for (uint32_t i = 0; i < arg.array.size(); ++i) {
    if (i)
      out += ',';
    if (arg.array.element() == ArgType::Float32)
      appendNumber(out, arg.array.number(i));
    else
      appendNumber(out, arg.array.integer(i));
  }
  out += ']';
}

} // namespace ada::wtf
