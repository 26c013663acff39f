// The generator, the plain writer, and the comparison.
#include "random_stream.h"

namespace ada::dial9::test {

RandomStream::RandomStream(uint32_t seed, Writing how, Dialect allowed)
    : random_(seed), style_(how), dialect_(allowed) {
  header();
  for (unsigned n = below(12u); n; --n)
    switch (below(10u)) {
    case 0:
      schema();
      break;
    case 1:
      schemaAgain();
      break;
    case 2:
      stringPool();
      break;
    case 3:
      if (dialect_ == Dialect::Extended)
        stackPool();
      break;
    case 4:
      if (dialect_ == Dialect::Extended)
        annotations();
      break;
    case 5:
      if (dialect_ == Dialect::Extended && chance(2)) {
        frames.push_back({FrameTag::Segment, {}, 0, {}, {}, {}, {}});
        types_.clear();
        base_ = 0;
        header();
      } else {
        reset(number());
      }
      break;
    default:
      event();
    }
}

// Numbers of every size, with the limits often.
uint64_t RandomStream::number() {
  const uint64_t bits = std::uniform_int_distribution<uint64_t>()(random_);
  switch (below(4u)) {
  case 0:
    return below(4u) ? bits >> below(64u) : uint64_t(0) - below(3u);
  case 1:
    return (uint64_t(1) << below(64u)) - below(2u);
  default:
    return bits >> below(64u);
  }
}

std::string_view RandomStream::text() {
  const size_t size = chance(40) ? below(3000u) : below(12u);
  std::string &text = texts_.emplace_back();
  for (size_t i = 0; i < size; ++i)
    text += char(below(256u));
  return text;
}

std::span<const uint64_t> RandomStream::stack() {
  std::vector<uint64_t> &stack = stackStore_.emplace_back();
  for (size_t n = chance(40) ? below(400u) : below(6u); n; --n)
    stack.push_back(number());
  return stack;
}

FieldType RandomStream::fieldType() {
  for (;;)
    if (uint8_t type = uint8_t(1 + below(15u)); isFieldType(type, dialect_))
      return chance(3) ? FieldType::Varint : FieldType(type);
}

Value RandomStream::value(FieldType type, int depth) {
  switch (type) {
  case FieldType::I64:
    return Value::int64(int64_t(number()));
  case FieldType::F64:
    return Value::float64(std::bit_cast<double>(number()));
  case FieldType::Bool:
    return Value::boolean(chance(2));
  case FieldType::String:
    return Value::string(text());
  case FieldType::Bytes: {
    std::string_view bytes = text();
    return Value::bytes({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  }
  case FieldType::PooledStackFrames:
    return Value::pooledStack(uint32_t(number()));
  case FieldType::PooledString:
    return Value::pooledString(uint32_t(number()));
  case FieldType::StackFrames:
    return Value::stackFrames(stack());
  case FieldType::Varint:
    return Value::varint(number());
  case FieldType::U8:
    return Value::u8(uint8_t(number()));
  case FieldType::U16:
    return Value::u16(uint16_t(number()));
  case FieldType::U32:
    return Value::u32(uint32_t(number()));
  case FieldType::StringMap: {
    std::vector<StringPair> &pairs = mapStore_.emplace_back();
    for (unsigned n = below(4u); n; --n)
      pairs.push_back({text(), text()});
    return Value::stringMap(pairs);
  }
  // Sometimes a chain of containers down to the limit; otherwise small bushy trees.
  case FieldType::DynamicList: {
    std::vector<Value> items;
    const bool chain = chance(20);
    for (unsigned n = chain ? 1 : below(4u); n; --n) {
      FieldType item = chain && depth < kMaxNesting ? FieldType::DynamicList : fieldType();
      if (depth >= (chain ? kMaxNesting : 4) && item >= FieldType::DynamicList)
        item = FieldType::U8;
      items.push_back(value(item, depth + 1));
    }
    return Value::list(listStore_.emplace_back(std::move(items)));
  }
  case FieldType::DynamicMap: {
    std::vector<ValuePair> entries;
    for (unsigned n = below(4u); n; --n) {
      FieldType key = fieldType(), content = fieldType();
      if (depth >= 4 && key >= FieldType::DynamicList)
        key = FieldType::String;
      if (depth >= 4 && content >= FieldType::DynamicList)
        content = FieldType::Varint;
      Value keyValue = value(key, depth + 1);
      entries.push_back({keyValue, value(content, depth + 1)});
    }
    return Value::map(entryStore_.emplace_back(std::move(entries)));
  }
  case FieldType::Absent:
    break;
  }
  return Value::absent();
}

void RandomStream::header() { raw(std::string_view("TRC\0\1", 5)); }

void RandomStream::schema() {
  const uint16_t typeId = uint16_t(chance(3) ? number() : below(4u));
  if (types_.contains(typeId))
    return schemaAgain();
  std::vector<Field> fields;
  for (size_t n = chance(30) ? below(300u) : below(7u); n; --n) {
    FieldType type = fieldType();
    fields.push_back({text(), type, dialect_ == Dialect::Extended && chance(4)});
  }
  std::shared_ptr<const Schema> schema = Schema::make(typeId, text(), !chance(4), fields);
  types_[typeId] = schema;
  frames.push_back({FrameTag::Schema, schema, 0, {}, {}, {}, {}});
  writeSchema(*schema);
}

void RandomStream::schemaAgain() {
  if (types_.empty())
    return schema();
  auto it = std::next(types_.begin(), below<ptrdiff_t>(ptrdiff_t(types_.size())));
  frames.push_back({FrameTag::Schema, it->second, 0, {}, {}, {}, {}});
  writeSchema(*it->second);
}

void RandomStream::event() {
  if (types_.empty())
    schema();
  auto it = std::next(types_.begin(), below<ptrdiff_t>(ptrdiff_t(types_.size())));
  const Schema &type = *it->second;
  Meant event{FrameTag::Event, it->second, 0, {}, {}, {}, {}};
  for (const Field &field : type.fields())
    event.values.push_back(field.optional && chance(2) ? Value::absent() : value(field.type, 1));

  uint64_t delta = 0;
  if (type.hasTimestamp()) {
    event.number = chance(3) ? number() : base_ + below(0x2000000u);
    if (event.number < base_ || event.number - base_ > 0xffffff || (style_ == Writing::Free && chance(5))) {
      // For an encoder the reset is part of the event, for a decoder it is a separate frame.
      Meant reset{FrameTag::TimestampReset, {}, event.number, {}, {}, {}, {}};
      reset.implied = true;
      frames.push_back(std::move(reset));
      little(0x05, 1);
      little(event.number, 8);
      base_ = event.number;
    }
    delta = event.number - base_;
    base_ = event.number;
  }
  little(0x02, 1);
  little(type.typeId(), 2);
  if (type.hasTimestamp())
    little(delta, 3);
  for (size_t i = 0; i < event.values.size(); ++i) {
    if (type.fields()[i].optional)
      little(!event.values[i].isAbsent(), 1);
    writeValue(event.values[i]);
  }
  frames.push_back(std::move(event));
}

void RandomStream::stringPool() {
  Meant pool{FrameTag::StringPool, {}, 0, {}, {}, {}, {}};
  for (unsigned n = below(4u); n; --n)
    pool.strings.push_back({uint32_t(number()), text()});
  little(0x03, 1);
  little(pool.strings.size(), 4);
  for (const StringPoolEntry &entry : pool.strings) {
    little(entry.id, 4);
    counted(entry.text, 4);
  }
  frames.push_back(std::move(pool));
}

void RandomStream::stackPool() {
  Meant pool{FrameTag::StackPool, {}, 0, {}, {}, {}, {}};
  for (unsigned n = below(4u); n; --n)
    pool.stacks.push_back({uint32_t(number()), AddressList(stack())});
  little(0x04, 1);
  little(pool.stacks.size(), 4);
  for (const StackPoolEntry &entry : pool.stacks) {
    little(entry.id, 4);
    addresses(entry.addresses);
  }
  frames.push_back(std::move(pool));
}

void RandomStream::reset(uint64_t time) {
  frames.push_back({FrameTag::TimestampReset, {}, time, {}, {}, {}, {}});
  little(0x05, 1);
  little(time, 8);
  base_ = time;
}

void RandomStream::annotations() {
  Meant frame{FrameTag::Annotations, {}, number(), {}, {}, {}, {}};
  for (unsigned n = below(4u); n; --n)
    frame.annotations.push_back({uint16_t(number()), text(), text()});
  little(0x06, 1);
  varint(frame.number);
  little(frame.annotations.size(), 2);
  for (const Annotation &entry : frame.annotations) {
    little(entry.fieldIndex, 2);
    counted(entry.key, 2);
    counted(entry.value, 4);
  }
  frames.push_back(std::move(frame));
}

void RandomStream::little(uint64_t number, int size) {
  for (; size; --size, number >>= 8)
    bytes.push_back(uint8_t(number));
}

void RandomStream::varint(uint64_t number) {
  size_t written = 1;
  for (; number > 0x7f; number >>= 7, ++written)
    bytes.push_back(uint8_t(number % 128 + 128));
  if (style_ == Writing::Free && written < 10 && chance(4)) {
    bytes.push_back(uint8_t(number + 128));
    for (size_t zeros = below(10 - written); zeros; --zeros)
      bytes.push_back(128);
    number = 0;
  }
  bytes.push_back(uint8_t(number));
}

void RandomStream::raw(std::string_view text) { bytes.insert(bytes.end(), text.begin(), text.end()); }

void RandomStream::counted(std::string_view text, int size) {
  little(text.size(), size);
  raw(text);
}

void RandomStream::addresses(AddressList list) {
  little(list.size(), 4);
  for (uint64_t address : list)
    little(address, 8);
}

void RandomStream::writeSchema(const Schema &schema) {
  little(0x01, 1);
  little(schema.typeId(), 2);
  counted(schema.name(), 2);
  little(!schema.hasTimestamp() ? 0 : style_ == Writing::Free ? 1 + below(255u) : 1, 1);
  little(schema.fields().size(), 2);
  for (const Field &field : schema.fields()) {
    counted(field.name, 2);
    little(uint64_t(field.type) + (field.optional ? 128 : 0), 1);
  }
}

void RandomStream::writeValue(const Value &value) {
  switch (value.type()) {
  case FieldType::Absent:
    break;
  case FieldType::I64:
    little(uint64_t(value.asInt64()), 8);
    break;
  case FieldType::F64:
    little(std::bit_cast<uint64_t>(value.asFloat64()), 8);
    break;
  case FieldType::Bool:
    little(!value.asBool() ? 0 : style_ == Writing::Free ? 1 + below(255u) : 1, 1);
    break;
  case FieldType::String:
  case FieldType::Bytes:
    counted(value.asString(), 4);
    break;
  case FieldType::PooledStackFrames:
  case FieldType::PooledString:
    little(value.poolId(), 4);
    break;
  case FieldType::StackFrames:
    addresses(value.asStack());
    break;
  case FieldType::Varint:
    varint(value.asUint64());
    break;
  case FieldType::U8:
    little(value.asUint64(), 1);
    break;
  case FieldType::U16:
    little(value.asUint64(), 2);
    break;
  case FieldType::U32:
    little(value.asUint64(), 4);
    break;
  case FieldType::StringMap:
    little(value.asStringMap().size(), 4);
    for (StringPair pair : value.asStringMap()) {
      counted(pair.key, 4);
      counted(pair.value, 4);
    }
    break;
  case FieldType::DynamicList:
    little(value.asList().size(), 4);
    for (Value item : value.asList()) {
      little(uint64_t(item.type()), 1);
      writeValue(item);
    }
    break;
  case FieldType::DynamicMap:
    little(value.asMap().size(), 4);
    for (ValuePair entry : value.asMap())
      for (const Value &part : {entry.key, entry.value}) {
        little(uint64_t(part.type()), 1);
        writeValue(part);
      }
  }
}

EncodeError encodeMeant(Encoder &encoder, const Meant &frame) {
  switch (frame.kind) {
  case FrameTag::Schema:
    return encoder.repeatSchema(*frame.schema);
  case FrameTag::Event:
    return frame.schema->hasTimestamp() ? encoder.event(frame.schema->typeId(), frame.number, frame.values)
                                        : encoder.event(frame.schema->typeId(), frame.values);
  case FrameTag::StringPool:
    return encoder.stringPool(frame.strings);
  case FrameTag::StackPool:
    return encoder.stackPool(frame.stacks);
  case FrameTag::TimestampReset:
    return encoder.timestampReset(frame.number);
  case FrameTag::Annotations:
    return encoder.annotations(frame.number, frame.annotations);
  case FrameTag::Segment:
    return encoder.segment();
  }
  return EncodeError::NotInDialect;
}

const Meant *MeantVisitor::expect(FrameTag kind) {
  if (next_ == frames_.size() || frames_[next_].kind != kind) {
    right_ = false;
    return nullptr;
  }
  return &frames_[next_++];
}

void MeantVisitor::onSchema(const Schema &schema, uint64_t) {
  if (const Meant *meant = expect(FrameTag::Schema))
    check(schema == *meant->schema);
}

void MeantVisitor::onEvent(const EventView &event) {
  if (const Meant *meant = expect(FrameTag::Event))
    check(*event.schema == *meant->schema && event.timestampNs == meant->number &&
          std::ranges::equal(event.values, meant->values));
}

void MeantVisitor::onStringPool(StringPoolView entries, uint64_t) {
  if (const Meant *meant = expect(FrameTag::StringPool)) {
    auto expected = meant->strings.begin();
    check(entries.size() == meant->strings.size());
    for (StringPoolEntry entry : entries)
      if (right_)
        check(entry.id == expected->id && entry.text == expected++->text);
  }
}

void MeantVisitor::onStackPool(StackPoolView entries, uint64_t) {
  if (const Meant *meant = expect(FrameTag::StackPool)) {
    auto expected = meant->stacks.begin();
    check(entries.size() == meant->stacks.size());
    for (StackPoolEntry entry : entries)
      if (right_) {
        check(entry.id == expected->id &&
              Value::stackFrames(entry.addresses) == Value::stackFrames(expected->addresses));
        ++expected;
      }
  }
}

void MeantVisitor::onTimestampReset(uint64_t timestampNs, uint64_t) {
  if (const Meant *meant = expect(FrameTag::TimestampReset))
    check(timestampNs == meant->number);
}

void MeantVisitor::onAnnotations(uint64_t typeId, AnnotationsView entries, uint64_t) {
  if (const Meant *meant = expect(FrameTag::Annotations)) {
    auto expected = meant->annotations.begin();
    check(typeId == meant->number && entries.size() == meant->annotations.size());
    for (Annotation entry : entries)
      if (right_) {
        check(entry.fieldIndex == expected->fieldIndex && entry.key == expected->key && entry.value == expected->value);
        ++expected;
      }
  }
}

void MeantVisitor::onSegment(uint64_t) { (void)expect(FrameTag::Segment); }

} // namespace ada::dial9::test
