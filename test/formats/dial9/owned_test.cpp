// Owned frames outlive all their sources, and pooled ids resolve to what they meant at their place in the stream.
#include "stream_json.h"

#include <gtest/gtest.h>

using namespace ada::dial9;
using namespace ada::dial9::test;

namespace {
const Field kPooled[] = {{"s", FieldType::PooledString}, {"f", FieldType::PooledStackFrames}};

void pooledEvent(Encoder &encoder, uint32_t string, uint32_t stack) {
  const Value values[] = {Value::pooledString(string), Value::pooledStack(stack)};
  ASSERT_EQ(encoder.event(0, 1, values), EncodeError::None);
}

void define(Encoder &encoder, uint32_t id, std::string_view text, uint64_t address) {
  const StringPoolEntry string[] = {{id, text}};
  const StackPoolEntry stack[] = {{id, AddressList(std::span(&address, 1))}};
  ASSERT_EQ(encoder.stringPool(string), EncodeError::None);
  ASSERT_EQ(encoder.stackPool(stack), EncodeError::None);
}
} // namespace

TEST(Dial9Owned, PooledIdsMeanWhatTheyMeantThere) {
  Encoder encoder;
  ASSERT_EQ(encoder.schema(0, "E", true, kPooled), EncodeError::None);
  pooledEvent(encoder, 1, 1); // not defined yet: the end of the segment decides
  define(encoder, 1, "old", 10);
  pooledEvent(encoder, 1, 1);
  define(encoder, 1, "new", 20);
  pooledEvent(encoder, 1, 1);
  pooledEvent(encoder, 2, 2); // never defined
  ASSERT_EQ(encoder.segment(), EncodeError::None);
  ASSERT_EQ(encoder.schema(0, "E", true, kPooled), EncodeError::None);
  pooledEvent(encoder, 2, 1);
  define(encoder, 2, "second segment", 30);

  const Trace trace = decodeAll(encoder.bytes());
  ASSERT_TRUE(trace.status.ok());
  ASSERT_EQ(trace.segments.size(), 2u);
  std::vector<std::string> texts;
  std::vector<uint64_t> addresses;
  for (const Frame &frame : trace.frames)
    if (const Event *event = std::get_if<Event>(&frame)) {
      const std::string *text = trace.text(*event, event->values()[0]);
      const std::vector<uint64_t> *stack = trace.stack(*event, event->values()[1]);
      texts.push_back(text ? *text : "-");
      addresses.push_back(stack ? stack->front() : 0);
    }
  EXPECT_EQ(texts, (std::vector<std::string>{"new", "old", "new", "-", "second segment"}));
  EXPECT_EQ(addresses, (std::vector<uint64_t>{20, 10, 20, 0, 0}));
}

TEST(Dial9Owned, EventsOutliveTheirSource) {
  std::vector<Event> kept;
  Json before;
  {
    Encoder encoder;
    const Field fields[] = {{"n", FieldType::U8},        {"s", FieldType::String},      {"f", FieldType::StackFrames},
                            {"m", FieldType::StringMap}, {"l", FieldType::DynamicList}, {"o", FieldType::Bytes, true},
                            {"d", FieldType::DynamicMap}};
    ASSERT_EQ(encoder.schema(3, "Kept", true, fields), EncodeError::None);
    for (size_t size : {0, 5, 1000, 20'000}) { // within a collector's block, and larger
      const std::string text(size, 'k');
      const std::vector<uint64_t> stack(size, size);
      const StringPair pairs[] = {{text, "x"}};
      const Value inner[] = {Value::string(text), Value::varint(size)};
      const Value items[] = {Value::list(inner), Value::boolean(true)};
      const ValuePair entries[] = {{Value::string("key"), Value::list(items)}};
      const Value values[] = {
          Value::u8(1),       Value::string(text), Value::stackFrames(stack), Value::stringMap(pairs),
          Value::list(items), Value::absent(),     Value::map(entries)};
      ASSERT_EQ(encoder.event(3, size, values), EncodeError::None);
    }
    before = decode(encoder.bytes()).frames;
    std::vector<uint8_t> bytes(encoder.bytes().begin(), encoder.bytes().end());
    FrameCollector collector;
    {
      Decoder decoder(collector);
      decoder.push(bytes);
      ASSERT_TRUE(decoder.status().ok());
    }
    std::ranges::fill(bytes, uint8_t(0xee));
    for (const Frame &frame : collector.take())
      if (const Event *event = std::get_if<Event>(&frame))
        kept.push_back(*event);
    EXPECT_TRUE(collector.take().empty());
  }
  ASSERT_EQ(kept.size(), 4u);
  for (size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(frameJson(Frame(kept[i])), before.at(i + 1));
  EXPECT_EQ(kept[0].schema().name(), "Kept");
  EXPECT_EQ(kept[0].schema().findField("m"), 3);
  EXPECT_EQ(kept[0].schema().findField("nothing"), -1);
}

TEST(Dial9Owned, ValuesDiffer) {
  const uint64_t a[] = {1, 2}, b[] = {1, 3};
  const StringPair pair[] = {{"k", "v"}}, swapped[] = {{"v", "k"}};
  const Value one[] = {Value::u8(1)}, same[] = {Value::u8(1)}, wider[] = {Value::u16(1)};
  const ValuePair entry[] = {{one[0], wider[0]}}, reversed[] = {{wider[0], one[0]}};
  const Value all[] = {Value::absent(),
                       Value::u8(1),
                       Value::u16(1),
                       Value::u8(2),
                       Value::float64(0.0),
                       Value::float64(-0.0),
                       Value::string("x"),
                       Value::string("xy"),
                       Value::bytes({}),
                       Value::string(""),
                       Value::stackFrames(a),
                       Value::stackFrames(b),
                       Value::stackFrames(AddressList()),
                       Value::stringMap(pair),
                       Value::stringMap(swapped),
                       Value::stringMap({}),
                       Value::list(one),
                       Value::list(wider),
                       Value::list({}),
                       Value::map(entry),
                       Value::map(reversed),
                       Value::map({})};
  for (size_t i = 0; i < std::size(all); ++i)
    for (size_t k = 0; k < std::size(all); ++k)
      EXPECT_EQ(all[i] == all[k], i == k) << i << ' ' << k;
  EXPECT_EQ(Value::list(one), Value::list(same));
}

TEST(Dial9Owned, LargeFramesCanBeRefused) {
  Encoder encoder;
  const Field text[] = {{"s", FieldType::String}};
  ASSERT_EQ(encoder.schema(0, "S", false, text), EncodeError::None);
  const std::string content(5000, 'x');
  const Value values[] = {Value::string(content)};
  const uint64_t offset = encoder.size();
  ASSERT_EQ(encoder.event(0, values), EncodeError::None);
  const DecoderOptions bounded = {Dialect::Extended, 1000};
  EXPECT_EQ(decode(encoder.bytes(), bounded, [] { return 100; }).status,
            (DecodeStatus{Outcome::Error, DecodeError::FrameTooLarge, offset}));
  EXPECT_TRUE(decode(encoder.bytes(), bounded).status.ok()); // nothing to collect
}

TEST(Dial9Owned, ErrorsSayWhatAndWhere) {
  const uint8_t bytes[] = {'T', 'R', 'C', 0, 1, 7};
  const DecodeStatus status = decode(bytes).status;
  EXPECT_EQ(code(status.error), "E_UNKNOWN_TAG");
  EXPECT_NE(status.message().find("at byte 5"), std::string::npos);
  EXPECT_NE(status.message().find("[E_UNKNOWN_TAG]"), std::string::npos);
  EXPECT_EQ(status.toError().code, "E_UNKNOWN_TAG");
  EXPECT_EQ(status.toError().offset, 5u);
  EXPECT_EQ(decode(std::span(bytes).first(5)).status.message(), "");
}
