// Values of dial9 events as JSON.
#include "event_json.h"

#include "trace/base/json.h"
#include "trace/base/number_text.h"

#include <unordered_set>

namespace ada::formats {

using dial9::FieldType;
using dial9::Value;

template <class Addresses> static void addStack(JsonText &json, TextPiece name, const Addresses &addresses) {
  json.beginArray(name);
  for (const uint64_t address : addresses)
    json.hex({}, address);
  json.endArray();
}

// An object, or a list of pairs if a key comes twice.
static void addStringMap(JsonText &json, TextPiece name, dial9::StringMapView map) {
  std::unordered_set<std::string_view> keys;
  bool unique = true;
  for (const dial9::StringPair pair : map)
    unique &= keys.insert(pair.key).second;
  if (unique) {
    json.beginObject(name);
    for (const dial9::StringPair pair : map)
      json.text(pair.key, pair.value);
    json.endObject();
    return;
  }
  json.beginArray(name);
  for (const dial9::StringPair pair : map)
    json.beginArray().text({}, pair.key).text({}, pair.value).endArray();
  json.endArray();
}

static void add(JsonText &json, TextPiece name, const Value &value, const Dial9Pools &pools) {
  switch (value.type()) {
  case FieldType::Absent:
    json.null(name);
    return;
  case FieldType::I64:
    json.number(name, value.asInt64());
    return;
  case FieldType::F64:
    json.real(name, value.asFloat64());
    return;
  case FieldType::Bool:
    json.boolean(name, value.asBool());
    return;
  case FieldType::String:
    json.text(name, value.asString());
    return;
  case FieldType::Bytes:
    json.beginObject(name).text("hex", hexDigits(std::as_bytes(value.asBytes()))).endObject();
    return;
  case FieldType::PooledString:
    if (const std::string *text = pools.text(value.poolId()))
      json.text(name, *text);
    else
      json.beginObject(name).number("pool", value.poolId()).endObject();
    return;
  case FieldType::PooledStackFrames:
    if (const auto *stack = pools.stack(value.poolId()))
      addStack(json, name, *stack);
    else
      json.beginObject(name).number("stack", value.poolId()).endObject();
    return;
  case FieldType::StackFrames:
    return addStack(json, name, value.asStack());
  case FieldType::Varint:
  case FieldType::U8:
  case FieldType::U16:
  case FieldType::U32:
    json.number(name, value.asUint64());
    return;
  case FieldType::StringMap:
    return addStringMap(json, name, value.asStringMap());
  case FieldType::DynamicList:
    json.beginArray(name);
    for (const Value item : value.asList())
      add(json, {}, item, pools);
    json.endArray();
    return;
  case FieldType::DynamicMap:
    json.beginArray(name);
    for (const dial9::ValuePair entry : value.asMap()) {
      json.beginArray();
      add(json, {}, entry.key, pools);
      add(json, {}, entry.value, pools);
      json.endArray();
    }
    json.endArray();
    return;
  }
}

void appendJson(std::string &out, const Value &value, const Dial9Pools &pools) {
  JsonText json(out);
  add(json, {}, value, pools);
}

void appendFields(std::string &out, const dial9::EventView &event, const Dial9Pools &pools) {
  const auto fields = event.schema->fields();
  JsonText json(out);
  json.beginObject();
  for (size_t i = 0; i < fields.size(); ++i)
    add(json, fields[i].name, event.values[i], pools);
  json.endObject();
}

} // namespace ada::formats
