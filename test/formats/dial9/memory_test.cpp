// Decoding allocates in proportion to the bytes that are present, whatever sizes they claim.
// Once the schemas are known, a visitor's events allocate nothing.
#include "ada/trace/dial9.h"
#include "vector_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <malloc.h>
#include <new>

using namespace ada::dial9;

namespace {
size_t allocations = 0, live = 0, peak = 0;

void *counted(void *p) {
  if (!p)
    std::abort();
  ++allocations;
  live += malloc_usable_size(p);
  peak = std::max(peak, live);
  return p;
}
} // namespace

[[gnu::noinline]] void *operator new(size_t size) { return counted(std::malloc(size)); }
[[gnu::noinline]] void *operator new[](size_t size) { return counted(std::malloc(size)); }
// Not inlined, because otherwise the compiler would see delete freeing malloc's pointers.
[[gnu::noinline]] void operator delete(void *p) noexcept {
  if (p)
    live -= malloc_usable_size(p);
  std::free(p);
}
void operator delete(void *p, size_t) noexcept { operator delete(p); }
void operator delete[](void *p) noexcept { operator delete(p); }
void operator delete[](void *p, size_t) noexcept { operator delete(p); }

namespace {
/// The peak of live bytes during `work`, minus the bytes live before.
template <class Work> size_t peakOf(Work work) {
  const size_t before = live;
  peak = live;
  work();
  return peak - before;
}

// A schema's field of three bytes becomes a field, a value and up to a run: about 50 bytes, and a bit more while lists
// grow. The constant covers the decoder itself and its table of type ids in the worst case, when every page of it is
// used.
constexpr size_t kVisitFactor = 30, kConstant = 600 << 10;

void expectBounded(std::span<const uint8_t> bytes, const std::string &name) {
  SCOPED_TRACE(name);
  for (Dialect dialect : {Dialect::Seed, Dialect::Extended}) {
    EXPECT_LE(peakOf([&] {
                Visitor visitor;
                Decoder decoder(visitor, {dialect});
                for (std::span<const uint8_t> left = bytes; !left.empty();) {
                  decoder.push(left.first(std::min<size_t>(left.size(), 100)));
                  left = left.subspan(std::min<size_t>(left.size(), 100));
                }
              }),
              kVisitFactor * bytes.size() + kConstant);
  }
}
} // namespace

TEST(Dial9Memory, Vectors) {
  for (const auto &path : ada::test::filesInVectors(".trc")) {
    const std::string text = ada::test::bytesOfFile(path);
    const std::vector<uint8_t> bytes(text.begin(), text.end());
    expectBounded(bytes, path.filename());
  }
}

// The streams with the highest cost per byte.
TEST(Dial9Memory, WorstCases) {
  Encoder schemas, events, segments, pools, fields;
  for (unsigned i = 0; i < 0x10000; i += 0x101)
    ASSERT_EQ(schemas.schema(uint16_t(i), "", true, {}), EncodeError::None);
  expectBounded(schemas.bytes(), "a schema in each page of the table");

  ASSERT_EQ(events.schema(0, "", false, {}), EncodeError::None);
  for (int i = 0; i < 100'000; ++i)
    ASSERT_EQ(events.event(0, {}), EncodeError::None);
  expectBounded(events.bytes(), "events of three bytes");

  for (int i = 0; i < 100'000; ++i)
    ASSERT_EQ(segments.segment(), EncodeError::None);
  expectBounded(segments.bytes(), "nothing but headers");

  std::vector<StringPoolEntry> entries(10'000);
  for (uint32_t i = 0; i < entries.size(); ++i)
    entries[i].id = i;
  ASSERT_EQ(pools.stringPool(entries), EncodeError::None);
  expectBounded(pools.bytes(), "empty pool entries");

  std::vector<Field> alternating(kMaxFields);
  for (size_t i = 0; i < alternating.size(); ++i)
    alternating[i].type = i % 2 ? FieldType::U8 : FieldType::U16;
  ASSERT_EQ(fields.schema(0, "", false, alternating), EncodeError::None);
  expectBounded(fields.bytes(), "fields of three bytes, no two alike");
}

TEST(Dial9Memory, EventsOfAVisitorAllocateNothing) {
  Encoder encoder;
  const Field all[] = {{"a", FieldType::Varint},      {"b", FieldType::U32},       {"c", FieldType::String},
                       {"d", FieldType::StackFrames}, {"e", FieldType::StringMap}, {"f", FieldType::DynamicList},
                       {"g", FieldType::F64, true},   {"h", FieldType::Bool},      {"i", FieldType::DynamicMap}};
  const uint64_t stack[] = {1, 2, 3};
  const StringPair pairs[] = {{"k", "v"}};
  const Value items[] = {Value::u8(1), Value::stringMap(pairs)};
  const ValuePair entries[] = {{Value::string("k"), Value::list(items)}};
  const Value values[] = {Value::varint(300),        Value::u32(5),           Value::string("text"),
                          Value::stackFrames(stack), Value::stringMap(pairs), Value::list(items),
                          Value::float64(1),         Value::boolean(true),    Value::map(entries)};
  ASSERT_EQ(encoder.schema(0, "All", true, all), EncodeError::None);
  for (uint64_t i = 0; i < 1000; ++i)
    ASSERT_EQ(encoder.event(0, i, values), EncodeError::None);

  struct Counter : Visitor {
    uint64_t events = 0, seen = 0;
    void onEvent(const EventView &event) override {
      ++events;
      for (const Value &item : event.values[5].asList()) // looking into containers doesn't allocate either
        seen += item.type() == FieldType::U8 ? item.asUint64() : item.asStringMap().size();
    }
  } counter;
  Decoder decoder(counter);
  // The schema and an event or two arrive in pieces, so that the buffer for split frames reaches its size.
  size_t warm = 0;
  for (; counter.events < 3; ++warm)
    decoder.push(encoder.bytes().subspan(warm, 1));
  const size_t before = allocations;
  for (std::span<const uint8_t> left = encoder.bytes().subspan(warm); !left.empty();) {
    decoder.push(left.first(std::min<size_t>(left.size(), 50)));
    left = left.subspan(std::min<size_t>(left.size(), 50));
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(counter.events, 1000u);
  EXPECT_EQ(counter.seen, 2000u);
  EXPECT_TRUE(decoder.status().ok());
}
