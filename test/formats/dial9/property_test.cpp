// Random schemas, values and times survive the round trip in both directions.
// The bytes are cut in every way. There are tens of thousands of streams, and each is compared with the output of a
// second writer of the format.
#include "owned.h"
#include "random_stream.h"
#include "thorough.h"

#include <gtest/gtest.h>

using namespace ada::dial9;
using namespace ada::dial9::test;

namespace {
const uint32_t kStreams = ada::test::casesOf(12'000u, 2'000u);

Dialect dialectOf(uint32_t seed) { return seed % 3 ? Dialect::Extended : Dialect::Seed; }

/// Decodes in random chunks; true if the result is what was meant.
bool decodesAsMeant(std::span<const uint8_t> bytes, const RandomStream &stream, Dialect dialect, uint32_t seed) {
  MeantVisitor visitor(stream.frames);
  Decoder decoder(visitor, {dialect});
  const uint64_t size = bytes.size();
  std::minstd_rand random(seed);
  const size_t most = seed % 4 == 0 ? bytes.size() : seed % 4 == 1 ? 1 : seed % 4 == 2 ? 9 : 200;
  while (!bytes.empty()) {
    size_t take = std::min(bytes.size(), 1 + random() % most);
    const std::vector<uint8_t> chunk(bytes.begin(), bytes.begin() + ptrdiff_t(take));
    decoder.push(chunk);
    bytes = bytes.subspan(take);
  }
  return visitor.complete() && decoder.status() == DecodeStatus{Outcome::Ok, DecodeError::None, size} &&
         decoder.bufferedBytes() == 0;
}
} // namespace

// For the same content, our encoder writes the same bytes as the second writer.
TEST(Dial9Property, EncoderWritesWhatTheRulesDetermine) {
  for (uint32_t seed = 0; seed < kStreams; ++seed) {
    const Dialect dialect = dialectOf(seed);
    const RandomStream stream(seed, Writing::Canonical, dialect);
    Encoder encoder(dialect);
    for (size_t i = 0; i < stream.frames.size(); ++i)
      // The encoder writes the reset that belongs to an event by itself; a reset frame before it changes nothing.
      ASSERT_EQ(encodeMeant(encoder, stream.frames[i]), EncodeError::None) << "seed " << seed << ", frame " << i;
    ASSERT_TRUE(std::ranges::equal(encoder.bytes(), stream.bytes)) << "seed " << seed;
    ASSERT_TRUE(decodesAsMeant(encoder.bytes(), stream, dialect, seed)) << "seed " << seed;
  }
}

// The encoder inserts resets by itself: without the reset frames among the operations, the bytes are the same.
TEST(Dial9Property, EncoderFindsTheResetsItself) {
  for (uint32_t seed = 0; seed < kStreams; ++seed) {
    const RandomStream stream(seed, Writing::Canonical, Dialect::Extended);
    Encoder encoder;
    for (const Meant &frame : stream.frames)
      if (!frame.implied) {
        ASSERT_EQ(encodeMeant(encoder, frame), EncodeError::None) << "seed " << seed;
      }
    ASSERT_TRUE(std::ranges::equal(encoder.bytes(), stream.bytes)) << "seed " << seed;
  }
}

// Everything that a decoder must accept is accepted, including streams that no encoder following these rules writes.
// Encoded again, they mean the same.
TEST(Dial9Property, DecoderReadsFreelyWrittenStreams) {
  for (uint32_t seed = 0; seed < kStreams; ++seed) {
    const Dialect dialect = dialectOf(seed);
    const RandomStream stream(seed ^ 0x5555, Writing::Free, dialect);
    ASSERT_TRUE(decodesAsMeant(stream.bytes, stream, dialect, seed)) << "seed " << seed;

    Encoder encoder(dialect);
    const Trace trace = decodeAll(stream.bytes, {dialect});
    for (const Frame &frame : trace.frames)
      ASSERT_EQ(encodeFrame(encoder, frame), EncodeError::None) << "seed " << seed;
    ASSERT_TRUE(decodesAsMeant(encoder.bytes(), stream, dialect, seed)) << "seed " << seed;
  }
}

namespace {
/// Records everything, to compare two decodings of meaningless bytes.
class Recorder : public Visitor {
public:
  Encoder seen;
  uint64_t frames = 0;

  void onSchema(const Schema &schema, uint64_t) override { ++frames, (void)seen.repeatSchema(schema); }
  void onEvent(const EventView &event) override {
    ++frames;
    EncodeError error = event.hasTimestamp() ? seen.event(event.schema->typeId(), event.timestampNs, event.values)
                                             : seen.event(event.schema->typeId(), event.values);
    EXPECT_EQ(error, EncodeError::None);
  }
  void onStringPool(StringPoolView entries, uint64_t) override {
    ++frames;
    const std::vector<StringPoolEntry> list(entries.begin(), entries.end());
    EXPECT_EQ(seen.stringPool(list), EncodeError::None);
  }
  void onTimestampReset(uint64_t time, uint64_t) override { ++frames, (void)seen.timestampReset(time); }
  void onSegment(uint64_t) override { ++frames, (void)seen.segment(); }
};
} // namespace

// For damaged streams, the fast path (all at once) and the scanner (byte by byte) give the same frames and the same
// answer.
TEST(Dial9Property, DamagedStreamsHaveOneAnswer) {
  uint64_t errors = 0, truncated = 0;
  for (uint32_t seed = 0; seed < kStreams; ++seed) {
    const Dialect dialect = dialectOf(seed);
    std::vector<uint8_t> bytes = RandomStream(seed ^ 0xaaaa, Writing::Free, dialect).bytes;
    std::minstd_rand random(seed);
    for (unsigned n = 1 + random() % 3; n; --n)
      switch (random() % 4) {
      case 0:
        bytes.resize(random() % (bytes.size() + 1));
        break;
      case 1:
        bytes.insert(bytes.end(), {uint8_t(random()), uint8_t(random() % 8)});
        break;
      default:
        if (!bytes.empty())
          bytes[random() % bytes.size()] = uint8_t(random() % 3 ? random() % 16 : random());
      }
    Recorder atOnce, bytewise;
    Decoder first(atOnce, {dialect}), second(bytewise, {dialect});
    first.push(bytes);
    for (uint8_t byte : bytes)
      second.push({&byte, 1});
    ASSERT_EQ(first.status(), second.status()) << "seed " << seed;
    ASSERT_EQ(atOnce.frames, bytewise.frames) << "seed " << seed;
    ASSERT_TRUE(std::ranges::equal(atOnce.seen.bytes(), bytewise.seen.bytes())) << "seed " << seed;
    errors += first.status().outcome == Outcome::Error;
    truncated += first.status().outcome == Outcome::Truncated;
  }
  // The damage reaches the intended parts.
  EXPECT_GT(errors, kStreams / 20);
  EXPECT_GT(truncated, kStreams / 20);
}
