// Values of dial9 events as JSON.
#include "model/convert/dial9_json.h"

#include "model/json_string.h"

#include <charconv>
#include <cmath>
#include <unordered_set>

namespace ada::model {

using dial9::FieldType;
using dial9::Value;

static void appendFloat(std::string &out, double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  const std::string_view digits(text, static_cast<std::size_t>(end - text));
  if (std::isfinite(number))
    out += digits;
  else
    out += jsonString(digits);
}

static void appendHex(std::string &out, std::span<const uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  out += "{\"hex\":\"";
  for (const uint8_t byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  out += "\"}";
}

template <class Addresses>
static void appendStack(std::string &out, const Addresses &addresses) {
  char separator = '[';
  for (const std::uint64_t address : addresses) {
    char text[16];
    const auto end = std::to_chars(text, text + sizeof text, address, 16).ptr;
    out += separator;
    out += "\"0x";
    out.append(text, end);
    out += '"';
    separator = ',';
  }
  out += separator == '[' ? "[]" : "]";
}

static void appendStringMap(std::string &out, dial9::StringMapView map) {
  std::unordered_set<std::string_view> keys;
  bool unique = true;
  for (const dial9::StringPair pair : map)
    unique &= keys.insert(pair.key).second;
  out += unique ? '{' : '[';
  bool first = true;
  for (const dial9::StringPair pair : map) {
    if (!first)
      out += ',';
    first = false;
    if (!unique)
      out += '[';
    out += jsonString(pair.key);
    out += unique ? ':' : ',';
    out += jsonString(pair.value);
    if (!unique)
      out += ']';
  }
  out += unique ? '}' : ']';
}

void appendJson(std::string &out, const Value &value, const Dial9Pools &pools) {
  switch (value.type()) {
  case FieldType::Absent:
    out += "null";
    return;
  case FieldType::I64:
    out += std::to_string(value.asInt64());
    return;
  case FieldType::F64:
    return appendFloat(out, value.asFloat64());
  case FieldType::Bool:
    out += value.asBool() ? "true" : "false";
    return;
  case FieldType::String:
    out += jsonString(value.asString());
    return;
  case FieldType::Bytes:
    return appendHex(out, value.asBytes());
  case FieldType::PooledString: {
    const std::string *text = pools.text(value.poolId());
    out += text ? jsonString(*text)
                : "{\"pool\":" + std::to_string(value.poolId()) + "}";
    return;
  }
  case FieldType::PooledStackFrames: {
    const auto *stack = pools.stack(value.poolId());
    if (stack)
      appendStack(out, *stack);
    else
      out += "{\"stack\":" + std::to_string(value.poolId()) + "}";
    return;
  }
  case FieldType::StackFrames:
    return appendStack(out, value.asStack());
  case FieldType::Varint:
  case FieldType::U8:
  case FieldType::U16:
  case FieldType::U32:
    out += std::to_string(value.asUint64());
    return;
  case FieldType::StringMap:
    return appendStringMap(out, value.asStringMap());
  case FieldType::DynamicList: {
    bool first = true;
    out += '[';
    for (const Value item : value.asList()) {
      if (!first)
        out += ',';
      first = false;
      appendJson(out, item, pools);
    }
    out += ']';
    return;
  }
  case FieldType::DynamicMap: {
    bool first = true;
    out += '[';
    for (const dial9::ValuePair entry : value.asMap()) {
      out += first ? "[" : ",[";
      first = false;
      appendJson(out, entry.key, pools);
      out += ',';
      appendJson(out, entry.value, pools);
      out += ']';
    }
    out += ']';
    return;
  }
  }
}

void appendFields(std::string &out, const dial9::EventView &event,
                  const Dial9Pools &pools) {
  const auto fields = event.schema->fields();
  out += '{';
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i)
      out += ',';
    out += jsonString(fields[i].name);
    out += ':';
    appendJson(out, event.values[i], pools);
  }
  out += '}';
}

} // namespace ada::model
