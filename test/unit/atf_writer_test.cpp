// What the writers write, the readers read back: random events, both versions,
// finished, abandoned and empty files; limits of the formats are refused.
#include "ada/trace/atf_writer.h"
#include "scratch_directory.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

using namespace ada;
using namespace ada::atf;
using ada::test::ScratchDirectory;

namespace {

class AtfWriter : public testing::TestWithParam<int> {
protected:
  std::uint8_t version = static_cast<std::uint8_t>(GetParam());
  ScratchDirectory scratch;
  std::mt19937_64 random{42};

  IndexEvent randomEvent() {
    IndexEvent event;
    event.timestampNs = random();
    event.functionId = random();
    event.kind = EventKind{static_cast<std::uint32_t>(random() % 256)};
    event.threadId = version == 1 ? static_cast<std::uint32_t>(random()) : 77;
    event.storedDepth =
        version == 1 ? static_cast<std::uint32_t>(random() % 100) : kNoDepth;
    if (random() % 2)
      event.detailSeq = version == 1 ? random() % kNoDetailV1 : random() / 2;
    return event;
  }
};

TEST_P(AtfWriter, IndexComesBack) {
  // More than the writer's and the reader's buffers hold.
  for (std::size_t count : {0, 1, 7, 2000, 100000}) {
    std::string path = scratch / ("index" + std::to_string(count));
    std::vector<IndexEvent> events;
    auto writer = IndexWriter::create(
        path, {.version = version, .arch = 2, .os = 3, .threadId = 77});
    ASSERT_TRUE(writer) << writer.error().text();
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(writer->size(), i);
      events.push_back(randomEvent());
      ASSERT_TRUE(writer->append(events.back()));
    }
    ASSERT_TRUE(writer->finish(true));

    auto reader = IndexReader::open(path);
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_TRUE(reader->warnings().empty());
    EXPECT_EQ(reader->checksum(),
              count ? ChecksumState::Ok : ChecksumState::Unchecked);
    EXPECT_EQ(reader->header().flags, kFlagHasDetail);
    EXPECT_EQ(reader->header().arch, 2);
    EXPECT_EQ(reader->header().os, 3);
    EXPECT_EQ(reader->header().timeStartNs, count ? events[0].timestampNs : 0);
    EXPECT_EQ(reader->header().timeEndNs,
              count ? events.back().timestampNs : 0);
    ASSERT_EQ(reader->size(), count);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ((*reader)[i], events[i]) << i;
  }
}

TEST_P(AtfWriter, AbandonedIndexKeepsItsEvents) {
  std::string path = scratch / "index.atf";
  std::vector<IndexEvent> events;
  {
    auto writer =
        IndexWriter::create(path, {.version = version, .threadId = 77});
    ASSERT_TRUE(writer);
    for (int i = 0; i < 1000; ++i) {
      events.push_back(randomEvent());
      ASSERT_TRUE(writer->append(events.back()));
    }
  }
  auto reader = IndexReader::open(path);
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->isComplete());
  EXPECT_EQ(reader->countSource(), CountSource::FileSize);
  ASSERT_EQ(reader->size(), events.size());
  EXPECT_TRUE(std::ranges::equal(*reader, events));
}

TEST_P(AtfWriter, DetailComesBack) {
  struct Written {
    DetailEvent event;
    std::vector<std::byte> payload;
  };
  for (std::size_t count : {0, 1, 5000}) {
    std::string path = scratch / ("detail" + std::to_string(count));
    auto writer =
        DetailWriter::create(path, {.version = version, .threadId = 77});
    ASSERT_TRUE(writer) << writer.error().text();
    std::vector<Written> written;
    std::vector<std::byte> stack(kMaxStackBytes);
    for (std::size_t i = 0; i < count; ++i) {
      Written w;
      w.event.type = static_cast<std::uint16_t>(random());
      w.event.flags = static_cast<std::uint16_t>(random());
      w.event.indexSeq = version == 1 ? random() >> 32 : random();
      w.event.threadId =
          version == 1 ? static_cast<std::uint32_t>(random()) : 77;
      w.event.timestampNs = random();
      // Up to two and a half buffers of the writer now and then.
      std::size_t size = i % 1000 == 999 ? random() % 2500000 : random() % 300;
      for (std::size_t n = 0; n < size; ++n)
        w.payload.push_back(static_cast<std::byte>(random()));
      ASSERT_TRUE(writer->append(w.event, w.payload));
      written.push_back(std::move(w));
    }
    FunctionPayload function;
    function.functionId = random();
    for (auto &value : function.registers)
      value = random();
    function.lr = random();
    function.fp = random();
    function.sp = random();
    for (auto &b : stack)
      b = static_cast<std::byte>(random());
    function.stack = stack;
    ASSERT_TRUE(writer->append({.type = kDetailFunctionCall}, function));
    ASSERT_TRUE(writer->finish());

    auto reader = DetailReader::open(path);
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_TRUE(reader->warnings().empty());
    EXPECT_EQ(reader->checksum(), ChecksumState::Ok);
    ASSERT_EQ(reader->size(), count + 1);
    std::uint64_t lowest = 0, highest = 0; // of the function event: 0
    for (std::size_t i = 0; i < count; ++i) {
      DetailEvent got = (*reader)[i];
      EXPECT_EQ(got.type, written[i].event.type);
      EXPECT_EQ(got.flags, written[i].event.flags);
      EXPECT_EQ(got.indexSeq, written[i].event.indexSeq);
      EXPECT_EQ(got.threadId, written[i].event.threadId);
      EXPECT_EQ(got.timestampNs, written[i].event.timestampNs);
      ASSERT_TRUE(std::ranges::equal(got.payload, written[i].payload));
      highest = std::max(highest, got.indexSeq);
    }
    EXPECT_EQ(reader->header().indexSeqStart, lowest);
    EXPECT_EQ(reader->header().indexSeqEnd, highest);
    auto back = (*reader)[count].function();
    ASSERT_TRUE(back);
    EXPECT_EQ(back->functionId, function.functionId);
    EXPECT_EQ(back->registers, function.registers);
    EXPECT_EQ(back->lr, function.lr);
    EXPECT_EQ(back->fp, function.fp);
    EXPECT_EQ(back->sp, function.sp);
    EXPECT_TRUE(std::ranges::equal(back->stack, stack));
  }
}

TEST_P(AtfWriter, RefusesWhatTheFormatCannotHold) {
  auto index = IndexWriter::create(scratch / "i", {.version = version});
  ASSERT_TRUE(index);
  auto far = index->append({.detailSeq = 0xffffffffu});
  auto odd = index->append({.kind = EventKind{256}});
  EXPECT_EQ(static_cast<bool>(far), version == 2);
  EXPECT_EQ(static_cast<bool>(odd), version == 1);
  EXPECT_EQ((version == 1 ? far : odd).error().code, "E_RANGE");
  EXPECT_EQ(index->size(), 1u) << "what was refused is not in the file";

  auto detail = DetailWriter::create(scratch / "d", {.version = version});
  ASSERT_TRUE(detail);
  std::vector<std::byte> stack(257);
  FunctionPayload big;
  big.stack = stack;
  EXPECT_EQ(detail->append({}, big).error().code, "E_RANGE");
  auto link =
      detail->append({.indexSeq = 0x100000000u}, std::span<const std::byte>());
  EXPECT_EQ(static_cast<bool>(link), version == 2);
}

TEST_P(AtfWriter, DoesNotReplaceFilesUnasked) {
  std::string path = scratch.write("index.atf", "precious");
  auto writer = IndexWriter::create(path, {.version = version});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, "E_IO");
  EXPECT_EQ(std::filesystem::file_size(path), 8u);
  auto again =
      IndexWriter::create(path, {.version = version, .overwrite = true});
  ASSERT_TRUE(again);
  ASSERT_TRUE(again->finish());
  EXPECT_EQ(again->append({}).error().code, "E_IO") << "it is finished";
  EXPECT_TRUE(IndexReader::open(path));
}

INSTANTIATE_TEST_SUITE_P(Versions, AtfWriter, testing::Values(1, 2));

TEST(AtfWriterErrors, OtherVersionsAreRefused) {
  ScratchDirectory scratch;
  auto writer = IndexWriter::create(scratch / "x", {.version = 3});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, "E_BAD_VERSION");
  EXPECT_FALSE(std::filesystem::exists(scratch / "x"));
}

TEST(AtfWriterErrors, FullDiskIsReportedAndSticks) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  auto writer = IndexWriter::create("/dev/full", {.overwrite = true});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, "E_IO");
  EXPECT_NE(writer.error().text().find("No space left"), std::string::npos)
      << writer.error().text();
}

} // namespace
