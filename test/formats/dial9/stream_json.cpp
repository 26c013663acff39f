// Frames to JSON and back.
#include "stream_json.h"

#include <cstdio>
#include <stdexcept>

namespace ada::dial9::test {

namespace {
bool isUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const uint8_t lead = uint8_t(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (!length || text.size() - i < length)
      return false;
    uint32_t point = length == 1 ? lead : lead & (0x7f >> length);
    for (size_t k = 1; k < length; ++k) {
      if ((uint8_t(text[i + k]) & 0xc0) != 0x80)
        return false;
      point = point << 6 | (uint8_t(text[i + k]) & 0x3f);
    }
    constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < kSmallest[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
      return false;
    i += length;
  }
  return true;
}

std::string format(const char *pattern, unsigned long long number) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, pattern, number);
  return buffer;
}

Json stackJson(AddressList addresses) {
  Json list = Json::array();
  for (uint64_t address : addresses)
    list.push_back(std::to_string(address));
  return list;
}

Json schemaJson(const Schema &schema) {
  Json fields = Json::array();
  for (const Field &field : schema.fields())
    fields.push_back({textJson(field.name), unsigned(field.type) | (field.optional ? kOptionalBit : 0)});
  return {{"k", "schema"},
          {"type_id", schema.typeId()},
          {"name", textJson(schema.name())},
          {"has_timestamp", schema.hasTimestamp()},
          {"fields", fields}};
}

Json eventJson(const Schema &schema, uint64_t timestampNs, std::span<const Value> values) {
  Json list = Json::array();
  for (const Value &value : values)
    list.push_back(valueJson(value));
  return {{"k", "event"},
          {"type_id", schema.typeId()},
          {"name", textJson(schema.name())},
          {"ts", schema.hasTimestamp() ? Json(std::to_string(timestampNs)) : Json()},
          {"values", list}};
}
} // namespace

Json hexJson(std::string_view bytes) {
  std::string hex;
  for (char byte : bytes)
    hex += format("%02llx", uint8_t(byte));
  return {{"hex", hex}};
}

Json textJson(std::string_view text) { return isUtf8(text) ? Json(text) : hexJson(text); }

Json valueJson(const Value &value) {
  switch (value.type()) {
  case FieldType::Absent:
    return nullptr;
  case FieldType::I64:
    return std::to_string(value.asInt64());
  case FieldType::F64:
    return "f64:" + format("%016llx", std::bit_cast<uint64_t>(value.asFloat64()));
  case FieldType::Bool:
    return value.asBool();
  case FieldType::String:
    return textJson(value.asString());
  case FieldType::Bytes:
    return hexJson(value.asString());
  case FieldType::PooledStackFrames:
    return {{"stack", value.poolId()}};
  case FieldType::PooledString:
    return {{"pool", value.poolId()}};
  case FieldType::StackFrames:
    return stackJson(value.asStack());
  case FieldType::Varint:
  case FieldType::U8:
  case FieldType::U16:
  case FieldType::U32:
    return std::to_string(value.asUint64());
  case FieldType::StringMap: {
    Json pairs = Json::array();
    for (StringPair pair : value.asStringMap())
      pairs.push_back({textJson(pair.key), textJson(pair.value)});
    return {{"map", pairs}};
  }
  case FieldType::DynamicList: {
    Json items = Json::array();
    for (const Value &item : value.asList())
      items.push_back(valueJson(item));
    return {{"list", items}};
  }
  case FieldType::DynamicMap: {
    Json entries = Json::array();
    for (const ValuePair &entry : value.asMap())
      entries.push_back({valueJson(entry.key), valueJson(entry.value)});
    return {{"dmap", entries}};
  }
  }
  throw std::logic_error("a value of no type");
}

void JsonVisitor::onSchema(const Schema &schema, uint64_t) { frames.push_back(schemaJson(schema)); }

void JsonVisitor::onEvent(const EventView &event) {
  frames.push_back(eventJson(*event.schema, event.timestampNs, event.values));
}

void JsonVisitor::onStringPool(StringPoolView entries, uint64_t offset) {
  strings.add(entries, offset);
  Json list = Json::array();
  for (StringPoolEntry entry : entries)
    list.push_back({entry.id, textJson(entry.text)});
  frames.push_back({{"k", "string_pool"}, {"entries", list}});
}

void JsonVisitor::onStackPool(StackPoolView entries, uint64_t offset) {
  stacks.add(entries, offset);
  Json list = Json::array();
  for (StackPoolEntry entry : entries)
    list.push_back({entry.id, stackJson(entry.addresses)});
  frames.push_back({{"k", "stack_pool"}, {"entries", list}});
}

void JsonVisitor::onTimestampReset(uint64_t timestampNs, uint64_t) {
  frames.push_back({{"k", "timestamp_reset"}, {"ts", std::to_string(timestampNs)}});
}

void JsonVisitor::onAnnotations(uint64_t typeId, AnnotationsView entries, uint64_t) {
  Json list = Json::array();
  for (Annotation entry : entries)
    list.push_back({entry.fieldIndex, textJson(entry.key), textJson(entry.value)});
  frames.push_back({{"k", "annotations"}, {"type_id", typeId}, {"entries", list}});
}

void JsonVisitor::onSegment(uint64_t) {
  strings.clear();
  stacks.clear();
  frames.push_back({{"k", "segment"}});
}

Json frameJson(const Frame &frame) {
  struct {
    Json operator()(const Event &e) const { return eventJson(e.schema(), e.timestampNs().value_or(0), e.values()); }
    Json operator()(const SchemaFrame &f) const { return schemaJson(*f.schema); }
    Json operator()(const StringPoolFrame &f) const {
      Json list = Json::array();
      for (const auto &[id, text] : f.entries)
        list.push_back({id, textJson(text)});
      return {{"k", "string_pool"}, {"entries", list}};
    }
    Json operator()(const StackPoolFrame &f) const {
      Json list = Json::array();
      for (const auto &[id, addresses] : f.entries)
        list.push_back({id, stackJson(std::span(addresses))});
      return {{"k", "stack_pool"}, {"entries", list}};
    }
    Json operator()(const TimestampResetFrame &f) const {
      return {{"k", "timestamp_reset"}, {"ts", std::to_string(f.timestampNs)}};
    }
    Json operator()(const AnnotationsFrame &f) const {
      Json list = Json::array();
      for (const AnnotationsFrame::Entry &entry : f.entries)
        list.push_back({entry.fieldIndex, textJson(entry.key), textJson(entry.value)});
      return {{"k", "annotations"}, {"type_id", f.typeId}, {"entries", list}};
    }
    Json operator()(const SegmentFrame &) const { return {{"k", "segment"}}; }
  } visit;
  return std::visit(visit, frame);
}

Answer decode(std::span<const uint8_t> bytes, DecoderOptions options, const ChunkSizes &sizes) {
  JsonVisitor visitor;
  Decoder decoder(visitor, options);
  while (!bytes.empty()) {
    const size_t size = std::min(sizes(), bytes.size());
    // A copy of exactly this size, so that a sanitizer sees reads past the chunk and values that outlive it.
    std::vector<uint8_t> chunk(bytes.begin(), bytes.begin() + ptrdiff_t(size));
    decoder.push(chunk);
    bytes = bytes.subspan(size);
  }
  return {std::move(visitor.frames), decoder.status()};
}

Answer decode(std::span<const uint8_t> bytes, DecoderOptions options) {
  return decode(bytes, options, [&] { return bytes.size(); });
}

std::string_view outcomeName(Outcome outcome) {
  return outcome == Outcome::Ok ? "ok" : outcome == Outcome::Truncated ? "truncated" : "error";
}

namespace {
/// Memory that values point to while an operation runs.
struct Holder {
  std::deque<std::string> texts;
  std::deque<std::vector<uint64_t>> stacks;
  std::deque<std::vector<StringPair>> maps;

  std::string_view text(const Json &json) {
    if (!json.is_object())
      return texts.emplace_back(json.get<std::string>());
    const std::string hex = json.at("hex");
    std::string &bytes = texts.emplace_back();
    for (size_t i = 0; i < hex.size(); i += 2)
      bytes += char(std::stoi(hex.substr(i, 2), nullptr, 16));
    return bytes;
  }
  std::span<const uint64_t> stack(const Json &json) {
    std::vector<uint64_t> &stack = stacks.emplace_back();
    for (const Json &address : json)
      stack.push_back(std::stoull(address.get<std::string>()));
    return stack;
  }
  Value value(const Json &json, const Field &field) {
    if (json.is_null())
      return Value::absent();
    auto number = [&] { return std::stoull(json.get<std::string>()); };
    switch (field.type) {
    case FieldType::I64:
      return Value::int64(std::stoll(json.get<std::string>()));
    case FieldType::F64:
      return Value::float64(
          std::bit_cast<double>(uint64_t(std::stoull(json.get<std::string>().substr(4), nullptr, 16))));
    case FieldType::Bool:
      return Value::boolean(json);
    case FieldType::String:
      return Value::string(text(json));
    case FieldType::Bytes: {
      std::string_view bytes = text(json);
      return Value::bytes({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
    }
    case FieldType::PooledString:
      return Value::pooledString(json.at("pool"));
    case FieldType::PooledStackFrames:
      return Value::pooledStack(json.at("stack"));
    case FieldType::StackFrames:
      return Value::stackFrames(stack(json));
    case FieldType::Varint:
      return Value::varint(number());
    case FieldType::U8:
      return Value::u8(uint8_t(number()));
    case FieldType::U16:
      return Value::u16(uint16_t(number()));
    case FieldType::U32:
      return Value::u32(uint32_t(number()));
    case FieldType::StringMap: {
      std::vector<StringPair> &pairs = maps.emplace_back();
      for (const Json &pair : json.at("map"))
        pairs.push_back({text(pair.at(0)), text(pair.at(1))});
      return Value::stringMap(pairs);
    }
    default:
      // The JSON of an element does not include its type, so operations can't have such values.
      throw std::runtime_error("an operation with a dynamic container");
    }
  }
};

EncodeError encodeOp(Encoder &encoder, const Json &op, std::map<uint16_t, std::vector<Field>> &types, Holder &hold) {
  const std::string what = op.at("op");
  if (what == "schema") {
    std::vector<Field> fields;
    for (const Json &field : op.at("fields")) {
      const uint8_t type = field.at(1);
      fields.push_back({hold.text(field.at(0)), FieldType(type & ~kOptionalBit), (type & kOptionalBit) != 0});
    }
    const uint16_t typeId = op.at("type_id");
    types[typeId] = fields;
    return encoder.schema(typeId, hold.text(op.at("name")), op.at("has_timestamp"), fields);
  }
  if (what == "event") {
    const uint16_t typeId = op.at("type_id");
    std::vector<Value> values;
    for (const Json &value : op.at("values"))
      values.push_back(hold.value(value, types.at(typeId).at(values.size())));
    if (!op.contains("ts") || op.at("ts").is_null())
      return encoder.event(typeId, values);
    return encoder.event(typeId, std::stoull(op.at("ts").get<std::string>()), values);
  }
  if (what == "string_pool") {
    std::vector<StringPoolEntry> entries;
    for (const Json &entry : op.at("entries"))
      entries.push_back({entry.at(0), hold.text(entry.at(1))});
    return encoder.stringPool(entries);
  }
  if (what == "stack_pool") {
    std::vector<StackPoolEntry> entries;
    for (const Json &entry : op.at("entries"))
      entries.push_back({entry.at(0), AddressList(hold.stack(entry.at(1)))});
    return encoder.stackPool(entries);
  }
  if (what == "annotations") {
    std::vector<Annotation> entries;
    for (const Json &entry : op.at("entries"))
      entries.push_back({entry.at(0), hold.text(entry.at(1)), hold.text(entry.at(2))});
    return encoder.annotations(op.at("type_id"), entries);
  }
  if (what == "timestamp_reset")
    return encoder.timestampReset(std::stoull(op.at("ts").get<std::string>()));
  if (what == "segment") {
    types.clear();
    return encoder.segment();
  }
  throw std::runtime_error("unknown operation " + what);
}
} // namespace

EncodeError encodeOps(Encoder &encoder, const Json &operations) {
  std::map<uint16_t, std::vector<Field>> types;
  Holder hold;
  for (const Json &operation : operations)
    if (EncodeError error = encodeOp(encoder, operation, types, hold); error != EncodeError::None)
      return error;
  return EncodeError::None;
}

} // namespace ada::dial9::test
