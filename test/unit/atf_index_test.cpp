// Reading index files, beyond the vectors.
// Searching by time in ordered and unordered files, the iterator, files of other kinds, and checksums of known texts.
#include "ada/trace/atf_index.h"
#include "formats/native/bytes/checksum.h"
#include "formats/native/index/index_writer.h"
#include "scratch_directory.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <ranges>
#include <sys/stat.h>

using namespace ada;
using namespace ada::atf;
using ada::test::ScratchDirectory;

static_assert(std::random_access_iterator<IndexReader::Iterator>);

namespace {

// A file of these times, in memory.
std::vector<std::byte> fileOf(const std::vector<uint64_t> &times, unsigned version, uint64_t eventsOffset = 64) {
  std::vector<std::byte> bytes(eventsOffset + 32 * times.size());
  RawIndexHeaderV1 v1{};
  RawIndexHeaderV2 v2{};
  auto fill = [&](auto &head) {
    std::memcpy(head.magic, "ATI2", 4);
    head.endian = 1;
    head.version = static_cast<uint8_t>(version);
    head.eventSize = 32;
    head.eventsOffset = eventsOffset;
    head.footerOffset = eventsOffset;
    std::memcpy(bytes.data(), &head, sizeof head);
  };
  if (version == 1)
    fill(v1);
  else
    fill(v2);
  for (size_t i = 0; i < times.size(); ++i) {
    RawIndexEventV2 event{};
    event.timestampNs = times[i];
    event.functionId = i;
    std::memcpy(bytes.data() + eventsOffset + 32 * i, &event, 32);
  }
  return bytes;
}

// The smallest range that contains all events inside, found by looking at each event.
SeqRange slowTimeRange(const std::vector<uint64_t> &times, uint64_t from, uint64_t to) {
  SeqRange range;
  bool any = false;
  for (size_t i = 0; i < times.size(); ++i)
    if (times[i] >= from && times[i] < to) {
      if (!any)
        range.first = i;
      any = true;
      range.last = i + 1;
    }
  return range;
}

TEST(AtfTimeRange, SortedFilesAreSearched) {
  std::mt19937_64 random(1);
  for (unsigned version : {1u, 2u})
    for (size_t count : {0, 1, 2, 100, 5000, 20000}) {
      std::vector<uint64_t> times(count);
      for (auto &t : times)
        t = random() % (count + 10); // many are equal
      std::ranges::sort(times);
      // An odd offset: nothing in the file is aligned.
      auto bytes = fileOf(times, version, 77);
      auto reader = IndexReader::fromBytes(bytes);
      ASSERT_TRUE(reader) << reader.error().text();
      EXPECT_TRUE(reader->isSorted());
      for (int i = 0; i < 200; ++i) {
        uint64_t from = random() % (count + 12);
        uint64_t to = from + random() % (count + 12);
        auto want = SeqRange{static_cast<uint64_t>(std::ranges::lower_bound(times, from) - times.begin()),
                             static_cast<uint64_t>(std::ranges::lower_bound(times, to) - times.begin())};
        EXPECT_EQ(reader->timeRange(from, to), want);
        EXPECT_EQ(reader->lowerBound(from), want.first);
        EXPECT_TRUE(reader->timeRange(to, from).empty());
      }
      EXPECT_EQ(reader->timeRange(0, ~uint64_t{0}), reader->all());
    }
}

TEST(AtfTimeRange, UnsortedFilesLoseNothing) {
  std::mt19937_64 random(2);
  for (size_t count : {2, 100, 4096, 4097, 50000})
    for (uint64_t jitter : {3u, 1000u, 100000u}) {
      std::vector<uint64_t> times(count);
      for (size_t i = 0; i < count; ++i)
        times[i] = 1000000 + i * 10 - random() % (jitter * 10);
      times.back() = 0; // out of order for sure
      auto bytes = fileOf(times, 2);
      auto reader = IndexReader::fromBytes(bytes);
      ASSERT_TRUE(reader);
      EXPECT_FALSE(reader->isSorted());
      EXPECT_EQ(reader->minTimeNs(), 0u);
      EXPECT_EQ(reader->maxTimeNs(), std::ranges::max(times));
      for (int i = 0; i < 50; ++i) {
        uint64_t from = 1000000 + random() % (count * 10);
        uint64_t to = from + random() % 500;
        EXPECT_EQ(reader->timeRange(from, to), slowTimeRange(times, from, to));
        EXPECT_LE(reader->lowerBound(from), count);
      }
      EXPECT_EQ(reader->timeRange(5, 1), SeqRange{});
    }
}

TEST(AtfIndex, IteratorIsRandomAccess) {
  std::vector<uint64_t> times{5, 6, 7, 9};
  auto bytes = fileOf(times, 2);
  auto reader = IndexReader::fromBytes(bytes);
  ASSERT_TRUE(reader);
  auto begin = reader->begin();
  EXPECT_EQ(reader->end() - begin, 4);
  EXPECT_EQ(begin[3].timestampNs, 9u);
  EXPECT_EQ((*(begin + 2)).timestampNs, 7u);
  EXPECT_EQ((*--(begin += 2)).timestampNs, 6u);
  auto found = std::ranges::lower_bound(reader->begin(), reader->end(), 7u, {}, &IndexEvent::timestampNs);
  EXPECT_EQ(found.seq(), 2u);
}

TEST(AtfIndex, ForEachStopsWhenTold) {
  std::vector<uint64_t> times(10);
  auto bytes = fileOf(times, 1);
  auto reader = IndexReader::fromBytes(bytes);
  ASSERT_TRUE(reader);
  uint64_t calls = 0;
  reader->forEach({3, 9}, [&](uint64_t seq, const IndexEvent &) {
    ++calls;
    return seq < 5;
  });
  EXPECT_EQ(calls, 3u);
}

TEST(AtfIndex, WhatIsNoFileIsRefused) {
  ScratchDirectory scratch;
  std::string fifo = scratch / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string &path : {fifo, scratch.path(), scratch / "missing", std::string("/dev/null")}) {
    auto reader = IndexReader::open(path); // a FIFO must not block
    ASSERT_FALSE(reader) << path;
    EXPECT_EQ(reader.error().code, "E_IO");
    EXPECT_EQ(reader.error().file, path);
  }
}

TEST(AtfIndex, ErrorsNamePlaceAndField) {
  auto bytes = fileOf({1, 2}, 2);
  bytes[20] = std::byte{24};
  auto reader = IndexReader::fromBytes(bytes, "a/index.atf");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().text(), "a/index.atf: at byte 20: event_size: expected 32, found 24: all "
                                   "index events are 32 bytes long; the header is damaged "
                                   "[E_BAD_EVENT_SIZE]");
}

TEST(AtfIndex, ReaderOutlivesItsCopies) {
  ScratchDirectory scratch;
  std::string path = scratch / "index.atf";
  {
    auto writer = IndexWriter::create(path);
    ASSERT_TRUE(writer);
    for (uint64_t i = 0; i < 10000; ++i) // large enough to be mapped
      ASSERT_TRUE(writer->append({.timestampNs = i}));
    ASSERT_TRUE(writer->finish());
  }
  std::optional<IndexReader> copy;
  {
    auto reader = IndexReader::open(path, {.checksum = ChecksumPolicy::Defer});
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->checksum(), ChecksumState::Deferred);
    copy = *reader;
  }
  EXPECT_EQ((*copy)[9999].timestampNs, 9999u);
  EXPECT_TRUE(copy->verifyChecksum());
  EXPECT_EQ(copy->checksum(), ChecksumState::Ok);
}

TEST(AtfChecksum, HasTheKnownValues) {
  auto bytes = std::as_bytes(std::span("123456789", 9));
  EXPECT_EQ(checksumOf(1, bytes), 0xcbf43926u);
  EXPECT_EQ(checksumOf(2, bytes), 0xe3069283u);
  EXPECT_EQ(checksumOf(1, {}), 0u);
  EXPECT_EQ(checksumOf(2, {}), 0u);
  for (unsigned version : {1u, 2u})
    for (size_t cut = 0; cut <= 9; ++cut) {
      Checksum sum(version);
      sum.add(bytes.first(cut));
      sum.add(bytes.subspan(cut));
      EXPECT_EQ(sum.value(), checksumOf(version, bytes));
    }
}

// A session of ten thousand threads must not keep what each one's reader has decoded.
TEST(IndexReader, FewFilesKeepDecodedBlocks) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "index.atp";
  auto writer = IndexWriter::create(path, {.packed = true});
  ASSERT_TRUE(writer);
  for (uint64_t i = 0; i < 100; ++i)
    ASSERT_TRUE(
        writer->append({.timestampNs = i, .functionId = 7, .kind = i % 2 ? EventKind::Return : EventKind::Call}));
  ASSERT_TRUE(writer->finish());

  std::vector<IndexReader> readers;
  std::vector<std::weak_ptr<const IndexReader::EventBlock>> blocks;
  for (size_t i = 0; i < 1000; ++i) {
    auto reader = IndexReader::open(path);
    ASSERT_TRUE(reader);
    blocks.push_back(reader->block(0));
    readers.push_back(std::move(*reader));
  }
  EXPECT_FALSE(blocks.back().expired());
  EXPECT_LE(std::ranges::count_if(blocks, [](const auto &block) { return !block.expired(); }), 64);
  // It reads on as before, and is the newest again.
  EXPECT_EQ(readers.front()[42].timestampNs, 42u);
  EXPECT_EQ(readers.front().block(0), readers.front().block(99));
}

} // namespace
