// Packed streams, in one member or several, cut anywhere, decode like unpacked ones; and damage is reported.
#include "stream_json.h"

#include "dial9_stream.h"

#include <gtest/gtest.h>

#ifdef ADA_TEST_ZLIB
#include <zlib.h>
#endif

using namespace ada::dial9;
using namespace ada::dial9::test;

namespace {
struct Counter : Visitor {
  uint64_t events = 0;
  void onEvent(const EventView &) override { ++events; }
};

struct Result {
  uint64_t events;
  DecodeStatus status;
  bool goOn;
};

Result read(std::span<const uint8_t> bytes, size_t chunk) {
  Counter counter;
  UnzippingDecoder decoder(counter);
  bool goOn = true;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(chunk, bytes.size())))
    goOn = decoder.push(bytes.first(std::min(chunk, bytes.size())));
  return {counter.events, decoder.status(), goOn};
}

std::vector<uint8_t> stream() {
  Encoder encoder;
  EXPECT_TRUE(ada::bench::writeSchedulerStream(encoder, 5000, 3));
  return {encoder.bytes().begin(), encoder.bytes().end()};
}
} // namespace

TEST(Dial9Gzip, PlainStreamsPassThrough) {
  const std::vector<uint8_t> plain = stream();
  for (size_t chunk : {size_t(1), size_t(2), size_t(1000), plain.size()}) {
    const Result result = read(plain, chunk);
    EXPECT_EQ(result.status, (DecodeStatus{Outcome::Ok, DecodeError::None, plain.size()}));
    EXPECT_EQ(result.events, 5000u);
    EXPECT_TRUE(result.goOn);
  }
  EXPECT_EQ(read({}, 1).status.error, DecodeError::HeaderTruncated);
  EXPECT_EQ(read(std::span(plain).first(3), 1).status.error, DecodeError::HeaderTruncated);
  EXPECT_EQ(read(std::span(plain).first(plain.size() - 1), 7).status.outcome, Outcome::Truncated);
  const uint8_t almost[] = {0x1f, 0x8c, 0, 0, 0};
  for (size_t size : {1, 2, 5})
    EXPECT_EQ(read(std::span(almost).first(size), 1).status, (DecodeStatus{Outcome::Error, DecodeError::BadMagic, 0}));
}

#ifdef ADA_TEST_ZLIB
namespace {
std::vector<uint8_t> pack(std::span<const uint8_t> plain) {
  z_stream z = {};
  EXPECT_EQ(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::vector<uint8_t> packed(deflateBound(&z, plain.size()));
  z.next_in = const_cast<Bytef *>(plain.data());
  z.avail_in = uInt(plain.size());
  z.next_out = packed.data();
  z.avail_out = uInt(packed.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  packed.resize(z.total_out);
  deflateEnd(&z);
  return packed;
}
} // namespace

TEST(Dial9Gzip, PackedStreams) {
  ASSERT_TRUE(gzipSupported());
  const std::vector<uint8_t> plain = stream();
  std::vector<uint8_t> members = pack(std::span(plain).first(1234));
  const std::vector<uint8_t> rest = pack(std::span(plain).subspan(1234));
  members.insert(members.end(), rest.begin(), rest.end());
  for (const std::vector<uint8_t> &packed : {pack(plain), members})
    for (size_t chunk : {size_t(1), size_t(1000), packed.size()}) {
      const Result result = read(packed, chunk);
      EXPECT_EQ(result.status, (DecodeStatus{Outcome::Ok, DecodeError::None, plain.size()}));
      EXPECT_EQ(result.events, 5000u);
      EXPECT_TRUE(result.goOn);
    }
}

TEST(Dial9Gzip, CutAnywhere) {
  const std::vector<uint8_t> packed = pack(stream());
  for (size_t size = 2; size < packed.size(); size += 1 + packed.size() / 300) {
    const Result result = read(std::span(packed).first(size), 64);
    EXPECT_LT(result.events, 5001u);
    EXPECT_TRUE(result.goOn) << size;
    EXPECT_NE(result.status.outcome, Outcome::Ok) << size;
    EXPECT_NE(result.status.error, DecodeError::BadGzip) << size;
  }
}

TEST(Dial9Gzip, Damaged) {
  const std::vector<uint8_t> packed = pack(stream());
  std::vector<uint8_t> wrong = packed;
  wrong[wrong.size() - 6] ^= 1; // the checksum
  Result result = read(wrong, 100);
  EXPECT_EQ(result.status.error, DecodeError::BadGzip);
  EXPECT_EQ(result.events, 5000u);
  EXPECT_FALSE(result.goOn);
  for (size_t at = 0; at < packed.size();
       at += 1 + packed.size() / 300) { // anything, except a crash or success with less data
    wrong = packed;
    wrong[at] ^= 0x10;
    result = read(wrong, 333);
    EXPECT_TRUE(!result.status.ok() || result.events == 5000) << at;
  }
}

TEST(Dial9Gzip, ErrorsOfTheStreamInside) {
  std::vector<uint8_t> plain = stream();
  plain.push_back(0xff);
  const Result result = read(pack(plain), 1000);
  EXPECT_EQ(result.status, (DecodeStatus{Outcome::Error, DecodeError::UnknownTag, plain.size() - 1}));
  EXPECT_FALSE(result.goOn);
}
#endif
