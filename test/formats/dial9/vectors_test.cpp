// Every vector of a folder decodes to its JSON, or fails with the error and offset given there.
// That holds however the bytes are cut into chunks. Where an encoder's output is prescribed, ours produces it.
#include "dial9_stream.h"
#include "sha256.h"
#include "stream_json.h"
#include "thorough.h"
#include "vector_folder.h"

#include <gtest/gtest.h>

#include <random>

namespace fs = std::filesystem;
using namespace ada::dial9;
using namespace ada::dial9::test;

namespace {
struct Vector {
  std::string name;
  Json json;
  std::vector<uint8_t> bytes;
};

std::vector<Vector> vectors() {
  std::vector<Vector> found;
  for (const ada::test::VectorFiles &files : ada::test::vectorsOf(ada::test::VectorFormat::Dial9)) {
    const std::string bytes = ada::test::bytesOfFile(files.subject);
    found.push_back({files.name, ada::test::jsonOfFile<Json>(files.json), {bytes.begin(), bytes.end()}});
  }
  return found;
}

/// Each answer in the vector, with its dialect.
std::vector<std::pair<Dialect, Json>> answersOf(const Vector &vector) {
  const Json &expect = vector.json.at("expect");
  if (vector.json.at("profile") == "ext")
    return {{Dialect::Extended, expect}};
  return {{Dialect::Seed, expect}, {Dialect::Extended, vector.json.value("expect_ext", expect)}};
}

void expectStatus(const DecodeStatus &status, const Json &expected) {
  EXPECT_EQ(outcomeName(status.outcome), expected.at("outcome").get<std::string>());
  const Json &error = expected.at("error");
  EXPECT_EQ(code(status.error), error.is_null() ? "" : error.get<std::string>());
  EXPECT_EQ(status.offset, expected.at("offset").get<uint64_t>());
  EXPECT_EQ(status.message().empty(), status.ok());
}

void expectAnswer(const Answer &answer, const Json &expected) {
  expectStatus(answer.status, expected);
  EXPECT_EQ(Json(answer.frames), expected.at("frames"));
}

/// A chunk size for each push: one byte, or random ones of several magnitudes.
std::vector<ChunkSizes> chunkings() {
  std::vector<ChunkSizes> all = {[] { return size_t(1); }};
  for (size_t most : {3, 17, 300, 70000})
    all.push_back([most, random = std::minstd_rand(unsigned(most))]() mutable {
      return std::uniform_int_distribution<size_t>(1, most)(random);
    });
  return all;
}
} // namespace

TEST(Dial9Vectors, DecodeToTheirJson) {
  for (const Vector &vector : vectors())
    for (const auto &[dialect, expected] : answersOf(vector)) {
      SCOPED_TRACE(vector.name + (dialect == Dialect::Seed ? ", seed" : ", extended"));
      EXPECT_EQ(vector.bytes.size(), vector.json.at("size").get<size_t>());
      expectAnswer(decode(vector.bytes, {dialect}), expected);
    }
}

TEST(Dial9Vectors, ChunksMakeNoDifference) {
  for (const Vector &vector : vectors())
    for (const auto &[dialect, expected] : answersOf(vector))
      for (const ChunkSizes &sizes : chunkings()) {
        SCOPED_TRACE(vector.name + (dialect == Dialect::Seed ? ", seed" : ", extended"));
        expectAnswer(decode(vector.bytes, {dialect}, sizes), expected);
      }
}

TEST(Dial9Vectors, Cuts) {
  for (const Vector &vector : vectors()) {
    if (!vector.json.contains("cuts"))
      continue;
    for (const auto &[dialect, expected] : answersOf(vector))
      for (const Json &cut : vector.json.at("cuts")) {
        SCOPED_TRACE(vector.name + " cut to " + cut.at("len").dump());
        const auto shorter = std::span(vector.bytes).first(cut.at("len"));
        for (const Answer &answer : {decode(shorter, {dialect}), decode(shorter, {dialect}, [] { return 1; })}) {
          expectStatus(answer.status, cut);
          ASSERT_EQ(answer.frames.size(), cut.at("frames").get<size_t>());
          for (size_t i = 0; i < answer.frames.size(); ++i)
            EXPECT_EQ(answer.frames[i], expected.at("frames").at(i));
        }
      }
  }
}

// A stream that is cut at any byte gives the frames that were whole, the offset of the incomplete one, and never
// another frame. A decoder that gets the bytes one by one gives the same answer at each byte as for a stream cut there:
// see ChunksMakeNoDifference. Short streams are also really cut.
TEST(Dial9Vectors, TruncationAtEveryByte) {
  for (const Vector &vector : vectors())
    for (const auto &[dialect, expected] : answersOf(vector)) {
      const Json &frames = expected.at("frames");
      const uint64_t end = expected.at("offset").get<uint64_t>();
      JsonVisitor visitor;
      Decoder decoder(visitor, {dialect});
      size_t seen = 0;
      constexpr size_t kShort = 700;
      const size_t length = vector.bytes.size(), step = length > kShort ? ada::test::stride(7) : 1;
      for (size_t size = 0, pushed = 0; size <= length; size += step) {
        decoder.push(std::span(vector.bytes).subspan(pushed, size - pushed));
        pushed = size;
        const std::string where = vector.name + " cut to " + std::to_string(size);
        ASSERT_LE(visitor.frames.size(), frames.size()) << where;
        for (; seen < visitor.frames.size(); ++seen)
          ASSERT_EQ(visitor.frames[seen], frames.at(seen)) << where;
        const DecodeStatus status = decoder.status();
        ASSERT_LE(status.offset, std::min<uint64_t>(size, end)) << where;
        ASSERT_EQ(status.message().empty(), status.ok()) << where;
        // No bytes are dropped silently.
        ASSERT_TRUE(!status.ok() || status.offset == size) << where;
        if (status.outcome == Outcome::Error && status.error != DecodeError::HeaderTruncated) {
          ASSERT_EQ(code(status.error), expected.at("error").get<std::string>()) << where;
        }
        if (length > kShort)
          continue;
        const Answer cut = decode(std::span(vector.bytes).first(size), {dialect});
        ASSERT_EQ(cut.status, status) << where;
        ASSERT_EQ(cut.frames.size(), visitor.frames.size()) << where;
      }
    }
}

TEST(Dial9Vectors, PoolsAtTheEnd) {
  for (const Vector &vector : vectors()) {
    SCOPED_TRACE(vector.name);
    JsonVisitor visitor;
    Decoder(visitor).push(vector.bytes);
    if (vector.json.contains("pools")) {
      Json pools = Json::object();
      visitor.strings.forEach(
          [&](uint32_t id, const std::string &text) { pools[std::to_string(id)] = textJson(text); });
      EXPECT_EQ(pools, vector.json.at("pools"));
    }
    if (vector.json.contains("stacks")) {
      Json stacks = Json::object();
      visitor.stacks.forEach([&](uint32_t id, const std::vector<uint64_t> &stack) {
        stacks[std::to_string(id)] = valueJson(Value::stackFrames(stack));
      });
      EXPECT_EQ(stacks, vector.json.at("stacks"));
    }
  }
}

TEST(Dial9Vectors, EncodeOperationsGiveTheFile) {
  for (const Vector &vector : vectors()) {
    if (!vector.json.contains("encode_ops"))
      continue;
    for (const auto &[dialect, expected] : answersOf(vector)) {
      SCOPED_TRACE(vector.name);
      Encoder encoder(dialect);
      EXPECT_EQ(encodeOps(encoder, vector.json.at("encode_ops")), EncodeError::None);
      EXPECT_TRUE(std::ranges::equal(encoder.bytes(), vector.bytes));
    }
  }
}

// A decoded stream that is encoded again means the same; a stream that follows the encoder's rules gives its own bytes.
TEST(Dial9Vectors, OwnedFramesWriteTheSameStream) {
  for (const Vector &vector : vectors())
    for (const auto &[dialect, expected] : answersOf(vector)) {
      SCOPED_TRACE(vector.name);
      const Trace trace = decodeAll(vector.bytes, {dialect});
      Encoder encoder(dialect);
      Json frames = Json::array();
      for (const Frame &frame : trace.frames) {
        frames.push_back(frameJson(frame));
        ASSERT_EQ(encodeFrame(encoder, frame), EncodeError::None);
      }
      EXPECT_EQ(frames, expected.at("frames"));
      EXPECT_EQ(Json(decode(encoder.bytes(), {dialect}).frames), frames);
      const std::vector<uint8_t> whole(vector.bytes.begin(), vector.bytes.begin() + ptrdiff_t(trace.status.offset));
      if (vector.json.contains("encode_ops")) {
        EXPECT_TRUE(std::ranges::equal(encoder.bytes(), whole));
      }
    }
}

TEST(Dial9Vectors, MillionEventStreamsHaveTheirDigests) {
  size_t checked = 0;
  for (const fs::path &path : ada::test::filesInVectors(".json")) {
    if (path.filename() != "bench.json")
      continue;
    for (const Json &stream : ada::test::jsonOfFile<Json>(path))
      if (stream.is_object() && stream.contains("sha256")) {
        Encoder encoder;
        ASSERT_TRUE(ada::bench::writeSchedulerStream(encoder, 1'000'000, stream.at("frames_per_stack")));
        EXPECT_EQ(encoder.bytes().size(), stream.at("bytes").get<size_t>());
        EXPECT_EQ(sha256(encoder.bytes()), stream.at("sha256").get<std::string>());
        ++checked;
      }
  }
  EXPECT_TRUE(checked == 2 || !ada::test::areOwnVectors());
}
