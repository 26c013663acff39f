// Packed streams, in one member or several, decode like unpacked ones, as far as they go; damage is reported.
#include "stream_json.h"

#include "ada/trace/byte_input.h"
#include "dial9_stream.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

#include <zlib.h>

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
  std::string damage; // of the gzip data
};

Result read(std::span<const uint8_t> bytes) {
  const ada::test::ScratchDirectory scratch;
  scratch.write("stream", std::string(bytes.begin(), bytes.end()));
  Counter counter;
  Decoder decoder(counter);
  auto input = ada::model::ByteInput::open(scratch / "stream");
  EXPECT_TRUE(input);
  EXPECT_TRUE(ada::model::pushAll(*input, [&](std::span<const std::byte> piece) {
    return decoder.push({reinterpret_cast<const uint8_t *>(piece.data()), piece.size()});
  }));
  return {counter.events, decoder.status(), input->damage() ? input->damage()->code : ""};
}

std::vector<uint8_t> stream() {
  Encoder encoder;
  EXPECT_TRUE(ada::bench::writeSchedulerStream(encoder, 5000, 3));
  return {encoder.bytes().begin(), encoder.bytes().end()};
}

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
  const std::vector<uint8_t> plain = stream();
  std::vector<uint8_t> members = pack(std::span(plain).first(1234));
  const std::vector<uint8_t> rest = pack(std::span(plain).subspan(1234));
  members.insert(members.end(), rest.begin(), rest.end());
  for (const std::vector<uint8_t> &bytes : {plain, pack(plain), members}) {
    const Result result = read(bytes);
    EXPECT_EQ(result.status, (DecodeStatus{Outcome::Ok, DecodeError::None, plain.size()}));
    EXPECT_EQ(result.events, 5000u);
    EXPECT_EQ(result.damage, "");
  }
}

TEST(Dial9Gzip, CutAnywhere) {
  const std::vector<uint8_t> packed = pack(stream());
  for (size_t size = 2; size < packed.size(); size += 1 + packed.size() / 300) {
    const Result result = read(std::span(packed).first(size));
    EXPECT_LT(result.events, 5001u);
    EXPECT_EQ(result.damage, "E_TRUNCATED") << size;
  }
}

TEST(Dial9Gzip, Damaged) {
  const std::vector<uint8_t> packed = pack(stream());
  std::vector<uint8_t> wrong = packed;
  wrong[wrong.size() - 6] ^= 1; // the checksum
  Result result = read(wrong);
  EXPECT_EQ(result.damage, "E_BAD_GZIP");
  EXPECT_EQ(result.events, 5000u);
  for (size_t at = 0; at < packed.size();
       at += 1 + packed.size() / 300) { // anything, except a crash or success with less data
    wrong = packed;
    wrong[at] ^= 0x10;
    result = read(wrong);
    EXPECT_TRUE(!result.status.ok() || !result.damage.empty() || result.events == 5000) << at;
  }
}

TEST(Dial9Gzip, ErrorsOfTheStreamInside) {
  std::vector<uint8_t> plain = stream();
  plain.push_back(0xff);
  const Result result = read(pack(plain));
  EXPECT_EQ(result.status, (DecodeStatus{Outcome::Error, DecodeError::UnknownTag, plain.size() - 1}));
  EXPECT_EQ(result.damage, "");
}
