// The readers read back exactly the events that the writers wrote.
// Random events in both versions; finished, abandoned and empty files; and the limits of the formats, beyond which the
// writers refuse.
#include "formats/native/detail/detail_writer.h"
#include "formats/native/index/index_writer.h"
#include "scratch_directory.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>

using namespace ada;
using namespace ada::atf;
using ada::test::ScratchDirectory;

namespace {

class AtfWriter : public testing::TestWithParam<int> {
protected:
  uint8_t version_ = static_cast<uint8_t>(GetParam());
  ScratchDirectory scratch_;
  std::mt19937_64 random_{42};

  IndexEvent randomEvent() {
    IndexEvent event;
    event.timestampNs = random_();
    event.functionId = random_();
    event.kind = EventKind{static_cast<uint32_t>(random_() % 256)};
    event.threadId = version_ == 1 ? static_cast<uint32_t>(random_()) : 77;
    event.storedDepth = version_ == 1 ? static_cast<uint32_t>(random_() % 100) : kNoDepth;
    if (random_() % 2)
      event.detailSeq = version_ == 1 ? random_() % kNoDetailV1 : random_() / 2;
    return event;
  }
};

TEST_P(AtfWriter, IndexComesBack) {
  // More than fits into the writer's and the reader's buffers.
  for (size_t count : {0, 1, 7, 2000, 100000}) {
    std::string path = scratch_ / ("index" + std::to_string(count));
    std::vector<IndexEvent> events;
    auto writer = IndexWriter::create(path, {.version = version_, .arch = 2, .os = 3, .threadId = 77});
    ASSERT_TRUE(writer) << writer.error().text();
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(writer->size(), i);
      events.push_back(randomEvent());
      ASSERT_TRUE(writer->append(events.back()));
    }
    ASSERT_TRUE(writer->finish(true));

    auto reader = IndexReader::open(path);
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_TRUE(reader->warnings().empty());
    EXPECT_EQ(reader->checksum(), count ? ChecksumState::Ok : ChecksumState::Unchecked);
    EXPECT_EQ(reader->header().flags, kFlagHasDetail);
    EXPECT_EQ(reader->header().arch, 2);
    EXPECT_EQ(reader->header().os, 3);
    EXPECT_EQ(reader->header().timeStartNs, count ? events[0].timestampNs : 0);
    EXPECT_EQ(reader->header().timeEndNs, count ? events.back().timestampNs : 0);
    ASSERT_EQ(reader->size(), count);
    for (size_t i = 0; i < count; ++i)
      ASSERT_EQ((*reader)[i], events[i]) << i;
  }
}

TEST_P(AtfWriter, AbandonedIndexKeepsItsEvents) {
  std::string path = scratch_ / "index.atf";
  std::vector<IndexEvent> events;
  {
    auto writer = IndexWriter::create(path, {.version = version_, .threadId = 77});
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
  for (size_t count : {0, 1, 5000}) {
    std::string path = scratch_ / ("detail" + std::to_string(count));
    auto writer = DetailWriter::create(path, {.version = version_, .threadId = 77});
    ASSERT_TRUE(writer) << writer.error().text();
    std::vector<Written> written;
    std::vector<std::byte> stack(kMaxStackBytes);
    for (size_t i = 0; i < count; ++i) {
      Written w;
      w.event.type = static_cast<uint16_t>(random_());
      w.event.flags = static_cast<uint16_t>(random_());
      w.event.indexSeq = version_ == 1 ? random_() >> 32 : random_();
      w.event.threadId = version_ == 1 ? static_cast<uint32_t>(random_()) : 77;
      w.event.timestampNs = random_();
      // Sometimes up to two and a half buffers of the writer.
      size_t size = i % 1000 == 999 ? random_() % 2500000 : random_() % 300;
      for (size_t n = 0; n < size; ++n)
        w.payload.push_back(static_cast<std::byte>(random_()));
      ASSERT_TRUE(writer->append(w.event, w.payload));
      written.push_back(std::move(w));
    }
    FunctionPayload function;
    function.functionId = random_();
    for (auto &value : function.registers)
      value = random_();
    function.lr = random_();
    function.fp = random_();
    function.sp = random_();
    for (auto &b : stack)
      b = static_cast<std::byte>(random_());
    function.stack = stack;
    ASSERT_TRUE(writer->append({.type = kDetailFunctionCall}, function));
    ASSERT_TRUE(writer->finish());

    auto reader = DetailReader::open(path);
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_TRUE(reader->warnings().empty());
    EXPECT_EQ(reader->checksum(), ChecksumState::Ok);
    ASSERT_EQ(reader->size(), count + 1);
    uint64_t lowest = 0, highest = 0; // of the function event, which is 0
    for (size_t i = 0; i < count; ++i) {
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
  auto index = IndexWriter::create(scratch_ / "i", {.version = version_});
  ASSERT_TRUE(index);
  auto far = index->append({.detailSeq = 0xffffffffu});
  auto odd = index->append({.kind = EventKind{256}});
  EXPECT_EQ(static_cast<bool>(far), version_ == 2);
  EXPECT_EQ(static_cast<bool>(odd), version_ == 1);
  EXPECT_EQ((version_ == 1 ? far : odd).error().code, "E_RANGE");
  EXPECT_EQ(index->size(), 1u) << "what was refused is not in the file";

  auto detail = DetailWriter::create(scratch_ / "d", {.version = version_});
  ASSERT_TRUE(detail);
  std::vector<std::byte> stack(257);
  FunctionPayload big;
  big.stack = stack;
  EXPECT_EQ(detail->append({}, big).error().code, "E_RANGE");
  auto link = detail->append({.indexSeq = 0x100000000u}, std::span<const std::byte>());
  EXPECT_EQ(static_cast<bool>(link), version_ == 2);
}

TEST_P(AtfWriter, DoesNotReplaceFilesUnasked) {
  std::string path = scratch_.write("index.atf", "precious");
  auto writer = IndexWriter::create(path, {.version = version_});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, "E_IO");
  EXPECT_EQ(std::filesystem::file_size(path), 8u);
  auto again = IndexWriter::create(path, {.version = version_, .overwrite = true});
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

// A file size limit that is smaller than a header.
TEST(AtfWriterErrors, FullDiskIsReported) {
  const ScratchDirectory scratch;
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit little = {32, before.rlim_max};
  const auto signalBefore = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const auto writer = IndexWriter::create(scratch / "index.atf", {.overwrite = true});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, signalBefore);
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, "E_IO");
  EXPECT_NE(writer.error().text().find("File too large"), std::string::npos) << writer.error().text();
}

// Only regular files are written to.
TEST(AtfWriterErrors, DevicesAreRefused) {
  const auto writer = IndexWriter::create("/dev/null", {.overwrite = true});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, "E_IO");
}

} // namespace
