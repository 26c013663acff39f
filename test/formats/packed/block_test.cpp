// Packed blocks give back every event exactly, wherever they are cut.
#include "random_events.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

namespace {

using namespace ada::packed;

struct Case {
  Shape shape;
  unsigned seed;
};

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  constexpr const char *names[] = {"Program", "Deep", "Exits", "Wild"};
  return names[static_cast<int>(info.param.shape)] + std::to_string(info.param.seed);
}

class PackedEvents : public testing::TestWithParam<Case> {};

TEST_P(PackedEvents, AreTheSameAfterwards) {
  const auto [shape, seed] = GetParam();
  std::mt19937 random(seed);
  const std::vector<Event> events = randomEvents(shape, 20'000, seed);
  for (const size_t bodyBytes : {size_t{1}, size_t{500}, size_t{1} << 16}) {
    Blocks blocks;
    blocks.add(events, bodyBytes, 1 + random() % 300);
    EXPECT_EQ(decodeBlocks(blocks.bytes), events);
    if (blocks.writer->isOpen())
      blocks.close();
    std::vector<uint64_t> firstSeqs;
    EXPECT_EQ(decodeBlocks(blocks.bytes, &firstSeqs), events);
    EXPECT_EQ(firstSeqs.size(), blocks.starts.size());
  }
}

// Cut at any byte, an open block has all events before the cut.
TEST_P(PackedEvents, AreThereUpToAnyCut) {
  const auto [shape, seed] = GetParam();
  const std::vector<Event> events = randomEvents(shape, 300, seed);
  Blocks blocks;
  blocks.add({events.begin(), events.begin() + 50}, 1, 50); // the calls open at the start matter
  std::vector<size_t> ends = {};
  const size_t from = blocks.bytes.size();
  for (size_t i = 50; i < events.size(); ++i) {
    blocks.add({events[i]}, ~size_t{0}, 1);
    ends.push_back(blocks.bytes.size());
  }
  const size_t body = blocks.starts.back() + blocks.writer->blockBytes() - blocks.writer->bodyBytes();
  ASSERT_GT(body, from);
  for (size_t cut = body; cut <= blocks.bytes.size(); ++cut) {
    const auto whole = static_cast<size_t>(std::ranges::upper_bound(ends, cut) - ends.begin());
    const std::vector<Event> got = decodeBlocks({blocks.bytes.begin(), blocks.bytes.begin() + static_cast<long>(cut)});
    ASSERT_TRUE(std::ranges::equal(got, std::span(events).first(50 + whole))) << cut;
  }
}

// An open block that was cut is continued, as after a kill.
TEST_P(PackedEvents, GoOnInAnOpenBlock) {
  const auto [shape, seed] = GetParam();
  std::mt19937 random(seed);
  const std::vector<Event> events = randomEvents(shape, 3000, seed);
  for (int round = 0; round < 20; ++round) {
    Blocks blocks;
    blocks.add({events.begin(), events.begin() + 1000}, 300, 100);
    if (!blocks.writer->isOpen())
      blocks.add({events.begin() + 1000, events.begin() + 1001}, 300, 1);
    const size_t start = blocks.starts.back();
    const size_t body = start + blocks.writer->blockBytes() - blocks.writer->bodyBytes();
    blocks.bytes.resize(body + random() % (blocks.bytes.size() - body + 1)); // cut anywhere

    *blocks.writer = {};
    std::vector<uint64_t> firstSeqs;
    const uint64_t there = decodeBlocks(blocks.bytes, &firstSeqs).size();
    const uint64_t most = round % 2 ? ~uint64_t{0} : std::max(firstSeqs.back(), there - round % 4 / 2);
    const size_t used = blocks.writer->resume(blocks.bytes.data() + start, blocks.bytes.data() + body,
                                              blocks.bytes.size() - body, most, kSum);
    blocks.bytes.resize(body + used);
    ASSERT_LE(blocks.writer->nextSeq(), most);
    const std::vector<Event> before = decodeBlocks(blocks.bytes);
    ASSERT_EQ(blocks.writer->nextSeq(), before.size());
    blocks.add({events.begin() + static_cast<long>(before.size()), events.end()}, 300, 7);
    if (blocks.writer->isOpen())
      blocks.close();
    ASSERT_EQ(decodeBlocks(blocks.bytes), events);
  }
}

// Events that could not be written are left out; the block holds everything before them.
TEST_P(PackedEvents, ThatCouldNotBeWrittenAreLeftOut) {
  const auto [shape, seed] = GetParam();
  const std::vector<Event> events = randomEvents(shape, 600, seed);
  Blocks blocks;
  blocks.add({events.begin(), events.begin() + 200}, ~size_t{0}, 10);
  std::vector<Byte> lost(200 * kMaxEventBytes);
  Byte *end = lost.data();
  for (size_t i = 200; i < 400; ++i)
    end = encodeWhole(*blocks.writer, end, events[i]);
  blocks.close();
  blocks.add({events.begin() + 400, events.end()}, ~size_t{0}, 10);
  blocks.close();
  std::vector<Event> expected = events;
  expected.erase(expected.begin() + 200, expected.begin() + 400);
  EXPECT_EQ(decodeBlocks(blocks.bytes), expected);
}

// Damaged bodies: nothing is read beyond the bytes, and no state goes out of bounds.
TEST_P(PackedEvents, MayBeAnything) {
  const auto [shape, seed] = GetParam();
  std::mt19937 random(seed);
  Blocks blocks;
  blocks.add(randomEvents(shape, 200, seed), ~size_t{0}, 10);
  const size_t body = blocks.writer->blockBytes() - blocks.writer->bodyBytes();
  RawBlockHeader raw;
  std::memcpy(&raw, blocks.bytes.data(), sizeof raw);
  auto state = std::make_unique<State>();
  for (int round = 0; round < 2000; ++round) {
    std::vector<Byte> bytes(blocks.bytes.begin() + static_cast<long>(body), blocks.bytes.end());
    for (int n = 0; n < 3; ++n)
      bytes[random() % bytes.size()] = static_cast<Byte>(random() % 4 ? random() : random() % kSubs | 0xc0);
    bytes.resize(random() % bytes.size());
    bytes.shrink_to_fit();
    Decoder decoder(*state);
    ASSERT_TRUE(beginDecoding(decoder, raw, blocks.bytes.data() + kBlockHeaderBytes));
    const Byte *at = bytes.data(), *const end = at + bytes.size();
    Event event;
    while (decoder.next(at, end, event) == Decoded::Event)
      ASSERT_LE(at, end);
    ASSERT_LE(state->floor, state->depth);
    ASSERT_LE(state->depth - state->floor, kMaxKnownCalls);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PackedEvents,
                         testing::Values(Case{Shape::Program, 1}, Case{Shape::Deep, 2}, Case{Shape::Wild, 3},
                                         Case{Shape::Wild, 4}, Case{Shape::Exits, 5}),
                         nameOf);

// The most frequent events take one byte.
TEST(PackedSize, IsAByteForTheUsualEvent) {
  Blocks blocks;
  std::vector<Event> events;
  for (uint64_t i = 0, ns = 1000; i < 30'000; ++i)
    for (const auto &[kind, function] : {std::pair{kCall, 7u}, {kCall, 8u}, {kReturn, 8u}, {kReturn, 7u}})
      events.push_back({.ns = ns += 17, .functionId = function, .kind = kind});
  blocks.add(events, kBlockBodyBytes, 1000);
  // Two calls per block are not predicted yet; each block has a header.
  EXPECT_EQ(blocks.starts.size(), 2u);
  EXPECT_LE(blocks.bytes.size(), events.size() + blocks.starts.size() * (kBlockAlignment + 20));
}

// Every kind of event, byte by byte: the layout is as documented.
TEST(PackedLayout, IsAsDocumented) {
  auto encoder = std::make_unique<Encoder>();
  Byte buffer[kMaxEventBytes];
  auto encoded = [&](const Event &event) { return std::vector<Byte>(buffer, encodeWhole(*encoder, buffer, event)); };
  using Bytes = std::vector<Byte>;
  EXPECT_EQ(encoded({.ns = 5, .functionId = 300, .kind = kCall}), (Bytes{0x85, 0xd8, 0x04}));
  EXPECT_EQ(encoded({.ns = 67, .functionId = 300, .kind = kCall}), (Bytes{0xbe, 0xd8, 0x04}));
  EXPECT_EQ(encoded({.ns = 67 + 63, .functionId = 300, .kind = kReturn}), (Bytes{0x3f, 0x00}));
  EXPECT_EQ(encoded({.ns = 130, .functionId = 5ull << 32 | 1, .kind = kCall}), (Bytes{0x80, 0x03, 0x05}));
  EXPECT_EQ(encoded({.ns = 131, .functionId = 5ull << 32 | 2, .kind = kCall}), (Bytes{0x81, 0x04}));
  EXPECT_EQ(encoded({.ns = 140, .functionId = 5ull << 32 | 2, .kind = kException}), (Bytes{0xc4, 0x09}));
  EXPECT_EQ(encoded({.ns = 141, .functionId = 5ull << 32 | 1, .kind = kCall}), (Bytes{0x81, 0x02}));
  EXPECT_EQ(encoded({.ns = 143, .functionId = 5ull << 32 | 1, .kind = kInferred}), (Bytes{0xc9, 0x02}));
  EXPECT_EQ(encoded({.ns = 143, .functionId = 5ull << 32 | 1, .kind = kCall}), (Bytes{0x80, 0x02}));
  EXPECT_EQ(encoded({.ns = 145, .functionId = 5ull << 32 | 1, .kind = kMissing}), (Bytes{0xca, 0x02}));
  EXPECT_EQ(encoded({.ns = 140, .functionId = 12, .kind = kInferred}),
            (Bytes{0xc3, 0x05, 0xc7, 0x00, 0x04, 0x19, 0x00}));
  EXPECT_EQ(encoded({.ns = 100, .functionId = 300, .kind = kReturn}), (Bytes{0xc3, 0x28, 0xc5, 0x00, 0x02, 0x01}));
  EXPECT_EQ(encoded({.ns = 101, .functionId = 9, .kind = kReturn}), (Bytes{0xc7, 0x01, 0x02, 0x12}));
  EXPECT_EQ(encoded({.ns = 102, .functionId = 9, .kind = 200}), (Bytes{0xc8, 0x01, 0xc8, 0x01, 0x12}));
  EXPECT_EQ(
      encoded(
          {.ns = 103, .functionId = 9, .kind = kCall, .storedDepth = 3, .hasLink = true, .link = 6, .lostBefore = 2}),
      (Bytes{0xc0, 0x07, 0xc1, 0x03, 0xc2, 0x02, 0x81, 0x12}));
}

} // namespace
