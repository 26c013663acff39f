// The runtime's packed index files, read with the decoder that the library uses for them.
#include "core/base/crc.h"
#include "core/drain/bound.h"
#include "core/files/packed_file.h"
#include "scratch_directory.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace ada;
using namespace ada::runtime;
using ada::test::ScratchDirectory;

// The content of a packed file.
struct Content {
  packed::RawFileHeader header = {};
  packed::RawTrailer trailer = {};
  std::vector<packed::Event> events;
  std::vector<uint64_t> blockOffsets, indexOffsets;
  uint64_t removed = 0; // events before the first block
  uint64_t open = 0;    // calls that are open there
  bool isOpen = false;  // whether the last block is open
};

Content read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<unsigned char> bytes((std::istreambuf_iterator<char>(file)), {});
  Content c;
  std::memcpy(&c.header, bytes.data(), sizeof c.header);
  EXPECT_TRUE(packed::isSealed(c.header, crc32c));
  const bool isFinished = (c.header.flags & packed::kFileFinished) != 0;
  uint64_t end = bytes.size();
  if (isFinished) {
    std::memcpy(&c.trailer, bytes.data() + c.header.trailerOffset, sizeof c.trailer);
    EXPECT_EQ(c.header.trailerOffset + sizeof c.trailer, bytes.size());
    EXPECT_TRUE(packed::isSealed(c.trailer, crc32c));
    end = c.trailer.indexOffset;
    EXPECT_EQ(c.trailer.indexChecksum, crc32c(0, bytes.data() + end, c.header.trailerOffset - end));
    for (uint64_t i = 0; i < c.trailer.blocks; ++i) {
      packed::RawIndexEntry entry;
      std::memcpy(&entry, bytes.data() + end + packed::kIndexHeadBytes + i * sizeof entry, sizeof entry);
      c.indexOffsets.push_back(entry.offset);
    }
  }
  auto state = std::make_unique<packed::State>();
  for (uint64_t at = c.header.blocksOffset; at < end;) {
    packed::RawBlockHeader block;
    std::memcpy(&block, bytes.data() + at, sizeof block);
    if (!packed::isBlockHeader(block, crc32c)) {
      ADD_FAILURE() << "no block at " << at;
      break;
    }
    c.blockOffsets.push_back(at);
    c.isOpen = (block.flags & packed::kBlockOpen) != 0;
    if (c.blockOffsets.size() == 1)
      c.removed = block.firstSeq, c.open = block.depth;
    EXPECT_EQ(block.firstSeq, c.removed + c.events.size());
    packed::Decoder decoder(*state);
    EXPECT_TRUE(packed::beginDecoding(decoder, block, bytes.data() + at + sizeof block));
    const unsigned char *body = bytes.data() + at + sizeof block + block.callsBytes;
    const unsigned char *const bodyEnd = c.isOpen ? bytes.data() + end : body + block.bodyBytes;
    packed::Event event;
    while (decoder.next(body, bodyEnd, event) == packed::Decoded::Event)
      c.events.push_back(event);
    EXPECT_EQ(body, bodyEnd);
    at = packed::aligned(static_cast<uint64_t>(bodyEnd - bytes.data()));
  }
  return c;
}

class PackedFileTest : public testing::Test {
protected:
  PackedFileTest() { file_.begin(directory_.c_str(), 5, 4711, *blocks_); }

  // Appends a batch of `count` events.
  void append(size_t count) {
    std::vector<unsigned char> buffer(packed::kMaxBlockStartBytes + count * packed::kMaxEventBytes);
    unsigned char *to = file_.beginBatch(buffer.data());
    for (size_t i = 0; i < count; ++i) {
      ns_ += random_() % 100;
      const bool isCall = stack_.empty() || (stack_.size() < 2000 && random_() % 2);
      ring::Event e = {
          .timestampNs = ns_, .functionId = 0, .beginNs = 0, .depth = 0, .kind = ring::kCall, .ofRecord = true};
      if (isCall)
        stack_.push_back(e.functionId = 1ull << 32 | random_() % 300);
      else {
        e.functionId = stack_.back(), e.kind = random_() % 50 ? ring::kReturn : ring::kException;
        stack_.pop_back();
      }
      to = file_.encode(to, e);
      expected_.push_back({.ns = ns_, .functionId = e.functionId, .kind = e.kind});
    }
    ASSERT_EQ(file_.append(buffer.data(), static_cast<size_t>(to - buffer.data()), count), 0);
  }
  void expect(const Content &content, uint64_t removed = 0) {
    EXPECT_EQ(file_.events(), expected_.size());
    EXPECT_EQ(file_.removed(), removed);
    EXPECT_EQ(content.removed, removed);
    ASSERT_EQ(content.events.size() + removed, expected_.size());
    const auto other = std::mismatch(content.events.begin(), content.events.end(), expected_.begin() + removed);
    ASSERT_EQ(other.first - content.events.begin(), std::ssize(content.events)) << "the event there differs";
    EXPECT_EQ(content.header.threadId, 4711u);
    if (content.header.flags & packed::kFileFinished) {
      EXPECT_EQ(content.header.eventCount, expected_.size() - removed);
      EXPECT_EQ(content.trailer.eventCount, expected_.size() - removed);
      EXPECT_EQ(content.indexOffsets, content.blockOffsets);
      EXPECT_EQ(content.header.timeStartNs, removed == expected_.size() ? 0 : expected_[removed].ns);
      EXPECT_EQ(content.header.timeEndNs, removed == expected_.size() ? 0 : expected_.back().ns);
      EXPECT_FALSE(content.isOpen);
    }
  }

  ScratchDirectory scratch_;
  std::string directory_ = scratch_.path(), path_ = directory_ + "/thread_5.index.atp";
  std::unique_ptr<packed::BlockWriter> blocks_ = std::make_unique<packed::BlockWriter>();
  PackedFile file_;
  std::mt19937 random_{7};
  std::vector<uint64_t> stack_;
  std::vector<packed::Event> expected_;
  uint64_t ns_ = 1000;
};

TEST_F(PackedFileTest, IsReadableAfterEachAppend) {
  for (size_t i = 0; i < 12; ++i) {
    append(1 + random_() % 20000);
    expect(read(path_));
    if (i % 3 == 0)
      file_.closeDescriptor();
  }
  EXPECT_GT(read(path_).blockOffsets.size(), 1u);
  ASSERT_EQ(file_.finish(false), 0);
  expect(read(path_));
}

TEST_F(PackedFileTest, AnEmptyFileHasATrailer) {
  EXPECT_FALSE(file_.exists());
  ASSERT_EQ(file_.finish(false), 0);
  expect(read(path_));
}

TEST_F(PackedFileTest, ABatchWithoutEventsChangesNothing) {
  append(10);
  for (int i = 0; i < 3; ++i) {
    append(0);
    ASSERT_EQ(file_.finish(false), 0); // closes the block, so the next batch begins one
    append(0);
    append(7);
    expect(read(path_));
  }
}

TEST_F(PackedFileTest, GoesOnAfterItWasFinished) {
  for (int i = 0; i < 5; ++i) {
    append(3000);
    ASSERT_EQ(file_.finish(i % 2), 0);
    const Content content = read(path_);
    expect(content);
    EXPECT_EQ((content.header.flags & packed::kFileHasDetail) != 0, i % 2 != 0);
    file_.closeDescriptor();
  }
  append(1);
  EXPECT_EQ(read(path_).header.flags, 0u);
  expect(read(path_));
}

TEST_F(PackedFileTest, GivesUpWholeBlocks) {
  for (int i = 0; i < 10; ++i)
    append(20000);
  ASSERT_EQ(file_.finish(false), 0);
  const size_t blocks = read(path_).blockOffsets.size();
  ASSERT_GT(blocks, 2u);
  const uint64_t gone = file_.shorten(1024);
  EXPECT_GE(gone, 1024u);
  expected_.resize(expected_.size() - gone);
  ASSERT_EQ(file_.finish(false), 0);
  EXPECT_EQ(read(path_).blockOffsets.size(), blocks - 1);
  expect(read(path_));
  EXPECT_EQ(file_.shorten(~0ull), expected_.size());
  expected_.clear();
  ASSERT_EQ(file_.finish(false), 0);
  expect(read(path_));
}

TEST_F(PackedFileTest, RemovesTheOldestBlocks) {
  struct Closed {
    uint64_t bytes, lastNs;
  };
  std::vector<uint64_t> counts; // events of the closed blocks that are in the file
  uint64_t removed = 0, before = 0;
  auto removeFirst = [&](PackedFile &file) {
    ASSERT_EQ(file.removeFirst(), 0);
    removed += counts.front();
    counts.erase(counts.begin());
  };
  for (int i = 0; i < 40; ++i) {
    append(5000);
    Closed closed;
    if (file_.takeClosed(closed.bytes, closed.lastNs)) {
      EXPECT_EQ(closed.lastNs, ns_);
      EXPECT_GE(closed.bytes, packed::kBlockBodyBytes);
      counts.push_back(expected_.size() - before);
      before = expected_.size();
    }
    if (counts.size() == 3)
      removeFirst(file_);
    expect(read(path_), removed);
  }
  EXPECT_GT(removed, 0u);
  ASSERT_EQ(file_.finish(true), 0);
  uint64_t bytes, lastNs;
  if (file_.takeClosed(bytes, lastNs))
    counts.push_back(expected_.size() - before);
  expect(read(path_), removed);
  removeFirst(file_); // now of a finished file
  expect(read(path_), removed);
  file_.closeDescriptor();
  PackedFile other; // a reader that has only the file
  ASSERT_EQ(other.load(directory_.c_str(), 5), 0);
  EXPECT_EQ(other.events(), expected_.size());
  EXPECT_EQ(other.removed(), removed);
  while (!counts.empty()) {
    removeFirst(other);
    const Content content = read(path_);
    EXPECT_EQ(content.header.flags, packed::kFileFinished | packed::kFileHasDetail);
    EXPECT_EQ(content.header.eventCount, expected_.size() - removed);
    EXPECT_EQ(content.events.size(), expected_.size() - removed);
    EXPECT_EQ(content.indexOffsets, content.blockOffsets);
  }
  EXPECT_EQ(removed, expected_.size());
}

// Then the file still shows which calls are open: their ends may be in the ring when the process is killed.
TEST_F(PackedFileTest, GoesOnWhenAllBlocksAreRemoved) {
  const auto removeLast = [&] {
    ASSERT_EQ(file_.removeFirst(), 0);
    const Content content = read(path_);
    expect(content, expected_.size());
    EXPECT_EQ(content.blockOffsets.size(), 1u);
    EXPECT_EQ(content.open, stack_.size());
  };
  uint64_t bytes, lastNs;
  for (int i = 0; i < 3; ++i) {
    while (!file_.takeClosed(bytes, lastNs))
      append(20000);
    removeLast();
    append(10);
    EXPECT_EQ(file_.timeStart(), expected_[file_.removed()].ns);
    expect(read(path_), file_.removed());
    ASSERT_EQ(file_.finish(false), 0);
    expect(read(path_), file_.removed());
    ASSERT_TRUE(file_.takeClosed(bytes, lastNs));
    removeLast(); // of a finished file
    EXPECT_FALSE(file_.takeClosed(bytes, lastNs));
  }
}

TEST(Bound, TheOldestGoFirst) {
  Options options = {};
  Bound bound;
  bound.start(options);
  EXPECT_FALSE(bound.active());
  options.max_size = 1000, options.max_time = 2;
  bound.start(options);
  EXPECT_TRUE(bound.active());
  uint64_t next = 0;
  for (uint64_t i = 0; i < 100000; ++i) {
    ASSERT_TRUE(bound.add({10, i * 10000000, i, i}));
    while (bound.isDue(i * 10000000))
      ASSERT_EQ(bound.takeOldest().thread, next++);
    ASSERT_LE(i - next, 100u);
    if (i > 200) {
      ASSERT_EQ(i - next, 99u); // a hundred blocks
    }
  }
  // A block of another thread, read later: by its time it belongs to the part already removed.
  const uint64_t old = 50000 * 10000000ull;
  ASSERT_TRUE(bound.add({10, old, 7777777, 0}));
  EXPECT_TRUE(bound.isDue(99999 * 10000000ull));
  EXPECT_EQ(bound.takeOldest().thread, 7777777u);
  EXPECT_FALSE(bound.isDue(99999 * 10000000ull));
  EXPECT_TRUE(bound.isDue(99999 * 10000000ull + 1100000000));
  bound.reset();
  EXPECT_TRUE(bound.isEmpty());
}

TEST_F(PackedFileTest, SaysWhenItCannotBeMade) {
  const std::string nowhere = directory_ + "/nowhere";
  file_.begin(nowhere.c_str(), 5, 4711, *blocks_);
  std::vector<unsigned char> buffer(packed::kMaxBlockStartBytes + packed::kMaxEventBytes);
  unsigned char *to = file_.encode(file_.beginBatch(buffer.data()), {1000, 1, 1000, 0, ring::kCall, true});
  EXPECT_EQ(file_.append(buffer.data(), static_cast<size_t>(to - buffer.data()), 1), -ENOENT);
  EXPECT_EQ(file_.events(), 0u);
}

} // namespace
