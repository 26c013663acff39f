// Rules of the dial9 decoder that no vector shows.
// Bytes are checked in order, and the first problem is the answer, even if the stream ends soon after it.
#include "stream_json.h"

#include <gtest/gtest.h>

using namespace ada::dial9;
using namespace ada::dial9::test;

namespace {
using Bytes = std::vector<uint8_t>;

Bytes operator+(Bytes a, const Bytes &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Bytes kHeader = {0x54, 0x52, 0x43, 0, 1};

/// A schema frame without a name, of fields without names.
Bytes schema(uint8_t id, bool timestamp, const Bytes &types) {
  Bytes frame = {1, id, 0, 0, 0, timestamp, uint8_t(types.size()), 0};
  for (uint8_t type : types)
    frame = frame + Bytes{0, 0, type};
  return frame;
}

void expectEnd(const Bytes &stream, std::string_view error, size_t offset, Dialect dialect = Dialect::Extended) {
  for (size_t piece : {stream.size(), size_t(1)}) {
    const Answer answer = decode(stream, {dialect}, [piece] { return piece; });
    EXPECT_EQ(code(answer.status.error), error == "truncated" ? "" : error);
    EXPECT_EQ(outcomeName(answer.status.outcome), error == "truncated" ? "truncated" : "error");
    EXPECT_EQ(answer.status.offset, offset);
  }
}
} // namespace

// An element's type is checked before the end of the data, unless the remaining bytes cannot hold that many elements:
// then the count is the first problem.
TEST(Dial9Rules, CountsComeBeforeElementsAndElementsInOrder) {
  const Bytes list = kHeader + schema(0, false, {14}) + Bytes{2, 0, 0},
              map = kHeader + schema(0, false, {15}) + Bytes{2, 0, 0};
  const size_t event = list.size() - 3;
  const Bytes badType = {0x77, 0, 0, 0, 0, 0};
  expectEnd(list + Bytes{3, 0, 0, 0} + badType, "E_BAD_FIELD_TYPE", event);
  expectEnd(list + Bytes{4, 0, 0, 0} + badType, "truncated", event);
  expectEnd(map + Bytes{1, 0, 0, 0} + badType, "E_BAD_FIELD_TYPE", event);
  expectEnd(map + Bytes{2, 0, 0, 0} + badType, "truncated", event);
  // A valid element before an invalid one that is cut off after its type.
  expectEnd(list + Bytes{2, 0, 0, 0, 11, 5, 0x80 | 11, 1}, "E_BAD_FIELD_TYPE", event);
  expectEnd(list + Bytes{2, 0, 0, 0, 11, 5, 13, 1}, "truncated", event);
}

// There is no minimum size for a schema's fields.
TEST(Dial9Rules, AFieldsTypeIsMetBeforeTheEndOfItsSchema) {
  expectEnd(kHeader + Bytes{1, 0, 0, 0, 0, 1, 0xe8, 3, 0, 0, 0x77}, "E_BAD_FIELD_TYPE", 5);
  expectEnd(kHeader + Bytes{1, 0, 0, 0, 0, 1, 0xe8, 3, 0, 0, 11}, "truncated", 5);
}

// Only a whole frame can contradict an earlier one.
TEST(Dial9Rules, AConflictNeedsAWholeSchema) {
  const Bytes first = kHeader + schema(9, true, {11, 12});
  const Bytes other = schema(9, true, {12, 12});
  for (size_t size = 1; size < other.size(); ++size)
    expectEnd(first + Bytes(other.begin(), other.begin() + long(size)), "truncated", first.size());
  expectEnd(first + other, "E_SCHEMA_CONFLICT", first.size());
  expectEnd(first + schema(9, true, {12, 0x77}), "E_BAD_FIELD_TYPE", first.size());
}

// Id, time, values, in this order.
TEST(Dial9Rules, AnEventIsReadInOrder) {
  const Bytes start = kHeader + schema(0, true, {9, 13}) + Bytes{5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  const size_t event = start.size();
  expectEnd(start + Bytes{2, 1, 0}, "E_UNKNOWN_TYPE_ID", event);
  expectEnd(start + Bytes{2, 1}, "truncated", event);
  expectEnd(start + Bytes{2, 0, 0, 1, 0, 0}, "E_TIMESTAMP_OVERFLOW", event);
  expectEnd(start + Bytes{2, 0, 0, 1, 0}, "truncated", event);
  const Bytes longVarint(11, 0xff);
  expectEnd(start + Bytes{2, 0, 0, 0, 0, 0} + longVarint, "E_VARINT_OVERFLOW", event);
  expectEnd(start + Bytes{2, 0, 0, 0, 0, 0, 0x80}, "truncated", event);
}

TEST(Dial9Rules, APresenceByteIsMetBeforeItsValue) {
  const Bytes start = kHeader + schema(0, false, {0x80 | 13, 11});
  expectEnd(start + Bytes{2, 0, 0, 2}, "E_BAD_PRESENCE", start.size());
  expectEnd(start + Bytes{2, 0, 0, 1, 0, 0}, "truncated", start.size());
  expectEnd(start + Bytes{2, 0, 0, 0}, "truncated", start.size());
}

// Part of a header in mid-stream, and what follows it.
TEST(Dial9Rules, HeadersInMidStream) {
  const size_t at = kHeader.size();
  for (size_t size = 1; size < at; ++size)
    expectEnd(kHeader + Bytes(kHeader.begin(), kHeader.begin() + long(size)), "truncated", at);
  expectEnd(kHeader + Bytes{0x54, 0}, "E_UNKNOWN_TAG", at);
  expectEnd(kHeader + Bytes{0x54, 0x52, 0x43, 1}, "E_UNKNOWN_TAG", at);
  expectEnd(kHeader + Bytes{0x54, 0x52, 0x43, 0, 2}, "E_BAD_VERSION", at);
  // By the specification alone, the byte is a tag like any other.
  expectEnd(kHeader + Bytes{0x54}, "E_UNKNOWN_TAG", at, Dialect::Seed);
  // Earlier definitions are forgotten, so a new meaning of an id is not a conflict.
  const Bytes two = kHeader + schema(0, false, {11}) + kHeader;
  expectEnd(two + Bytes{2, 0, 0}, "E_UNKNOWN_TYPE_ID", two.size());
  EXPECT_TRUE(decode(two + schema(0, true, {12, 12})).status.ok());
}

// Ids of pools, annotated types and fields may refer to nothing.
TEST(Dial9Rules, WhatIsNotKnownIsDelivered) {
  const Bytes stream = kHeader + Bytes{6, 0xff, 0xff, 0xff, 0x7f, 1, 0, 9, 9, 1, 0, 'k', 2, 0, 0, 0, 'v', 'w'} +
                       schema(0, false, {7, 6}) + Bytes{2, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
  const Answer answer = decode(stream);
  EXPECT_TRUE(answer.status.ok()) << answer.status.message();
  EXPECT_EQ(answer.frames.size(), 3u);
}
