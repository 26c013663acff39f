// The encoder leaves no trace of what it refuses, and writes the same through a sink as in memory.
#include "dial9_stream.h"
#include "stream_json.h"

#include <gtest/gtest.h>

using namespace ada::dial9;
using namespace ada::dial9::test;

namespace {
const Field kOneVarint[] = {{"v", FieldType::Varint}};
const Value kSeven[] = {Value::varint(7)};

/// Expects a refusal that leaves the stream as it was and usable.
template <class Operation> void expectRefusal(Encoder &encoder, EncodeError why, Operation operation) {
  const std::vector<uint8_t> before(encoder.bytes().begin(), encoder.bytes().end());
  EXPECT_EQ(operation(), why);
  EXPECT_FALSE(message(why).empty());
  EXPECT_TRUE(std::ranges::equal(encoder.bytes(), before));
}

struct CollectingSink : ByteSink {
  std::vector<uint8_t> bytes;
  size_t calls = 0, room = SIZE_MAX;
  bool write(std::span<const uint8_t> more) override {
    ++calls;
    if (more.size() > room - bytes.size())
      return false;
    bytes.insert(bytes.end(), more.begin(), more.end());
    return true;
  }
};
} // namespace

TEST(Dial9Encoder, RefusesWhatDoesNotFitTheSchema) {
  Encoder encoder;
  ASSERT_EQ(encoder.schema(0, "T", true, kOneVarint), EncodeError::None);
  ASSERT_EQ(encoder.schema(1, "N", false, kOneVarint), EncodeError::None);
  const Value two[] = {Value::varint(1), Value::varint(2)}, text[] = {Value::string("x")}, none[] = {Value::absent()};
  expectRefusal(encoder, EncodeError::UnknownTypeId, [&] { return encoder.event(2, 0, kSeven); });
  expectRefusal(encoder, EncodeError::TimestampMissing, [&] { return encoder.event(0, kSeven); });
  expectRefusal(encoder, EncodeError::TimestampUnexpected, [&] { return encoder.event(1, 5, kSeven); });
  expectRefusal(encoder, EncodeError::WrongValueCount, [&] { return encoder.event(0, 5, two); });
  expectRefusal(encoder, EncodeError::WrongValueCount, [&] { return encoder.event(0, 5, {}); });
  expectRefusal(encoder, EncodeError::WrongValueType, [&] { return encoder.event(0, 5, text); });
  expectRefusal(encoder, EncodeError::WrongValueType, [&] { return encoder.event(0, 5, none); });
  // A refused event far away must not have moved the time: this event needs no reset.
  expectRefusal(encoder, EncodeError::WrongValueType, [&] { return encoder.event(0, uint64_t(1) << 60, text); });
  const uint64_t before = encoder.size();
  EXPECT_EQ(encoder.event(0, kMaxDeltaNs, kSeven), EncodeError::None);
  EXPECT_EQ(encoder.size(), before + 7);
}

TEST(Dial9Encoder, RefusesEachTypeForEachOther) {
  const uint64_t stack[] = {1, 2};
  const Value of[] = {Value::absent(),       Value::int64(-1),       Value::float64(1),
                      Value::boolean(true),  Value::string("s"),     Value::bytes({}),
                      Value::pooledStack(1), Value::pooledString(1), Value::stackFrames(stack),
                      Value::varint(1),      Value::stringMap({}),   Value::u8(1),
                      Value::u16(1),         Value::u32(1),          Value::list({}),
                      Value::map({})};
  for (uint8_t type = 1; type < 16; ++type)
    for (bool optional : {false, true}) {
      Encoder encoder;
      // After another field, so that it is not among the leading varints.
      const Field fields[] = {{"before", FieldType::U8}, {"f", FieldType(type), optional}};
      ASSERT_EQ(encoder.schema(0, "T", false, fields), EncodeError::None);
      for (uint8_t given = 0; given < 16; ++given) {
        const Value values[] = {Value::u8(0), of[given]};
        SCOPED_TRACE(std::string(typeName(FieldType(type))) + " <- " + std::string(typeName(FieldType(given))));
        if (given == type || (given == 0 && optional))
          EXPECT_EQ(encoder.event(0, values), EncodeError::None);
        else
          expectRefusal(encoder, EncodeError::WrongValueType, [&] { return encoder.event(0, values); });
      }
    }
}

TEST(Dial9Encoder, SchemaRegistry) {
  Encoder encoder;
  ASSERT_EQ(encoder.schema(9, "T", true, kOneVarint), EncodeError::None);
  const uint64_t size = encoder.size();
  EXPECT_EQ(encoder.schema(9, "T", true, kOneVarint), EncodeError::None);
  EXPECT_EQ(encoder.size(), size);
  const Field otherName[] = {{"w", FieldType::Varint}}, otherType[] = {{"v", FieldType::U8}},
              optional[] = {{"v", FieldType::Varint, true}}, bad[] = {{"v", FieldType(16)}},
              absent[] = {{"v", FieldType::Absent}}, flagged[] = {{"v", FieldType(0x89)}};
  expectRefusal(encoder, EncodeError::SchemaConflict, [&] { return encoder.schema(9, "U", true, kOneVarint); });
  expectRefusal(encoder, EncodeError::SchemaConflict, [&] { return encoder.schema(9, "T", false, kOneVarint); });
  expectRefusal(encoder, EncodeError::SchemaConflict, [&] { return encoder.schema(9, "T", true, otherName); });
  expectRefusal(encoder, EncodeError::SchemaConflict, [&] { return encoder.schema(9, "T", true, otherType); });
  expectRefusal(encoder, EncodeError::SchemaConflict, [&] { return encoder.schema(9, "T", true, optional); });
  expectRefusal(encoder, EncodeError::SchemaConflict, [&] { return encoder.schema(9, "T", true, {}); });
  expectRefusal(encoder, EncodeError::BadFieldType, [&] { return encoder.schema(1, "T", true, bad); });
  expectRefusal(encoder, EncodeError::BadFieldType, [&] { return encoder.schema(1, "T", true, absent); });
  expectRefusal(encoder, EncodeError::BadFieldType, [&] { return encoder.schema(1, "T", true, flagged); });
  // A new segment starts with no schemas and no times.
  EXPECT_EQ(encoder.segment(), EncodeError::None);
  expectRefusal(encoder, EncodeError::UnknownTypeId, [&] { return encoder.event(9, 1, kSeven); });
  EXPECT_EQ(encoder.schema(9, "U", false, otherType), EncodeError::None);
}

TEST(Dial9Encoder, SeedDialectHasNoExtensions) {
  Encoder encoder(Dialect::Seed);
  const uint64_t address[] = {1};
  const StackPoolEntry stack[] = {{0, AddressList(std::span(address))}};
  expectRefusal(encoder, EncodeError::NotInDialect, [&] { return encoder.segment(); });
  expectRefusal(encoder, EncodeError::NotInDialect, [&] { return encoder.stackPool(stack); });
  expectRefusal(encoder, EncodeError::NotInDialect, [&] { return encoder.annotations(0, {}); });
  for (Field field : {Field{"f", FieldType::PooledStackFrames}, Field{"f", FieldType::DynamicList},
                      Field{"f", FieldType::DynamicMap}, Field{"f", FieldType::U8, true}})
    expectRefusal(encoder, EncodeError::BadFieldType, [&] { return encoder.schema(0, "T", true, {&field, 1}); });
}

TEST(Dial9Encoder, Limits) {
  Encoder encoder;
  const std::string longest(kMaxNameBytes, 'n'), tooLong(kMaxNameBytes + 1, 'n');
  const Field longField[] = {{longest, FieldType::U8}}, tooLongField[] = {{tooLong, FieldType::U8}};
  EXPECT_EQ(encoder.schema(0, longest, true, longField), EncodeError::None);
  expectRefusal(encoder, EncodeError::NameTooLong, [&] { return encoder.schema(1, tooLong, true, {}); });
  expectRefusal(encoder, EncodeError::NameTooLong, [&] { return encoder.schema(1, "T", true, tooLongField); });

  const std::vector<Field> most(kMaxFields, {"", FieldType::U8}), tooMany(kMaxFields + 1, {"", FieldType::U8});
  EXPECT_EQ(encoder.schema(0xffff, "", true, most), EncodeError::None);
  EXPECT_EQ(encoder.event(0xffff, UINT64_MAX, std::vector<Value>(kMaxFields, Value::u8(255))), EncodeError::None);
  expectRefusal(encoder, EncodeError::TooManyFields, [&] { return encoder.schema(1, "T", true, tooMany); });

  const Annotation longKey[] = {{0, longest, longest}}, tooLongKey[] = {{0, tooLong, ""}};
  EXPECT_EQ(encoder.annotations(UINT64_MAX, longKey), EncodeError::None);
  EXPECT_EQ(encoder.annotations(0, std::vector<Annotation>(0xffff)), EncodeError::None);
  expectRefusal(encoder, EncodeError::NameTooLong, [&] { return encoder.annotations(0, tooLongKey); });
  expectRefusal(encoder, EncodeError::TooManyFields,
                [&] { return encoder.annotations(0, std::vector<Annotation>(0x10000)); });
  EXPECT_TRUE(decode(encoder.bytes()).status.ok());

  // Lengths over 32 bits, in memory that is never touched.
  const Field text[] = {{"s", FieldType::String}}, frames[] = {{"s", FieldType::StackFrames}};
  ASSERT_EQ(encoder.schema(2, "S", false, text), EncodeError::None);
  ASSERT_EQ(encoder.schema(3, "F", false, frames), EncodeError::None);
  const char some[1] = {};
  const std::string_view huge(some, size_t(UINT32_MAX) + 1);
  const Value hugeText[] = {Value::string(huge)};
  const uint64_t address[1] = {};
  const Value hugeStack[] = {Value::stackFrames(std::span(address, size_t(UINT32_MAX) + 1))};
  const StringPoolEntry hugeEntry[] = {{0, huge}};
  const Annotation hugeAnnotation[] = {{0, "k", huge}};
  expectRefusal(encoder, EncodeError::LengthTooLarge, [&] { return encoder.event(2, hugeText); });
  expectRefusal(encoder, EncodeError::LengthTooLarge, [&] { return encoder.event(3, hugeStack); });
  expectRefusal(encoder, EncodeError::LengthTooLarge, [&] { return encoder.stringPool(hugeEntry); });
  expectRefusal(encoder, EncodeError::LengthTooLarge, [&] { return encoder.annotations(0, hugeAnnotation); });
}

TEST(Dial9Encoder, NestingLimit) {
  Encoder encoder;
  const Field field[] = {{"l", FieldType::DynamicList}};
  ASSERT_EQ(encoder.schema(0, "L", false, field), EncodeError::None);
  std::deque<Value> levels = {Value::list({})};
  while (levels.size() < kMaxNesting)
    levels.push_back(Value::list({&levels.back(), 1}));
  EXPECT_EQ(encoder.event(0, {&levels.back(), 1}), EncodeError::None);
  EXPECT_TRUE(decode(encoder.bytes()).status.ok());
  levels.push_back(Value::list({&levels.back(), 1}));
  expectRefusal(encoder, EncodeError::Depth, [&] { return encoder.event(0, {&levels.back(), 1}); });
  // An absent value can't be an element.
  const Value hole[] = {Value::absent()}, holey[] = {Value::list(hole)};
  expectRefusal(encoder, EncodeError::WrongValueType, [&] { return encoder.event(0, holey); });
}

TEST(Dial9Encoder, SinkGetsTheSameBytes) {
  CollectingSink sink;
  Encoder memory;
  {
    Encoder streaming(sink);
    for (Encoder *encoder : {&memory, &streaming}) {
      ASSERT_TRUE(ada::bench::writeSchedulerStream(*encoder, 50'000, 3));
      const Field text[] = {{"s", FieldType::String}, {"l", FieldType::DynamicList}};
      ASSERT_EQ(encoder->schema(100, "S", false, text), EncodeError::None);
      for (size_t size : {0, 1, 65'000, 66'000, 500'000, 3}) { // around the buffer's size, and well over
        const std::string content(size, 'x');
        const std::vector<Value> many(size / 8, Value::string("abc"));
        const Value values[] = {Value::string(content), Value::list(many)};
        ASSERT_EQ(encoder->event(100, values), EncodeError::None);
      }
    }
    EXPECT_GT(sink.calls, 5u);
    EXPECT_EQ(streaming.size(), memory.size());
    EXPECT_EQ(streaming.flush(), EncodeError::None);
    EXPECT_EQ(sink.bytes.size(), streaming.size());
    ASSERT_EQ(streaming.timestampReset(1), EncodeError::None);
    ASSERT_EQ(memory.timestampReset(1), EncodeError::None);
  } // the destructor flushes
  EXPECT_TRUE(std::ranges::equal(sink.bytes, memory.bytes()));
  EXPECT_TRUE(decode(sink.bytes).status.ok());
}

TEST(Dial9Encoder, FailedSinkStaysFailed) {
  CollectingSink sink;
  sink.room = 100'000;
  Encoder encoder(sink);
  EXPECT_FALSE(ada::bench::writeSchedulerStream(encoder, 50'000, 3));
  EXPECT_EQ(encoder.event(0, 0, kSeven), EncodeError::WrongValueCount);
  EXPECT_EQ(encoder.timestampReset(0), EncodeError::SinkFailed);
  EXPECT_EQ(encoder.segment(), EncodeError::SinkFailed);
  EXPECT_EQ(encoder.flush(), EncodeError::SinkFailed);
  // The accepted bytes are whole frames.
  EXPECT_TRUE(decode(sink.bytes).status.ok());
}
