// The index files that the drain writes, read back by the library's reader.
#include "ada/trace/atf_index.h"
#include "core/files/index_file.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>
#include <vector>

using ada::atf::IndexReader;
using ada::runtime::IndexFile;
using ada::test::ScratchDirectory;

namespace {

ada::ring::Event event(uint64_t n) {
  return {1000 + 7 * n, 1ull << 32 | n % 50, 1000, static_cast<uint32_t>(n % 9), static_cast<uint8_t>(1 + n % 3), true};
}

class IndexFileTest : public testing::TestWithParam<unsigned> {
protected:
  void append(IndexFile &file, uint64_t from, uint64_t to) {
    std::vector<unsigned char> bytes(32 * (to - from));
    for (uint64_t n = from; n < to; ++n)
      file.encode(bytes.data() + 32 * (n - from), event(n));
    ASSERT_EQ(file.append(bytes.data(), bytes.size(), to - from), 0);
  }
  void expect(uint64_t count, bool finished) {
    auto reader = IndexReader::open(path_);
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_EQ(reader->header().version, GetParam());
    EXPECT_EQ(reader->header().threadId, 4711u);
    EXPECT_EQ(reader->countSource() == ada::atf::CountSource::Footer, finished);
    if (finished) {
      EXPECT_EQ(reader->header().eventCount, count);
      EXPECT_EQ(reader->header().timeStartNs, count ? 1000u : 0u);
      EXPECT_EQ(reader->header().timeEndNs, count ? 1000 + 7 * (count - 1) : 0u);
    }
    ASSERT_EQ(reader->size(), count);
    for (uint64_t n = 0; n < count; ++n) {
      ada::atf::IndexEvent e = (*reader)[n];
      ada::ring::Event expected = event(n);
      ASSERT_EQ(e.timestampNs, expected.timestampNs);
      ASSERT_EQ(e.functionId, expected.functionId);
      ASSERT_EQ(static_cast<unsigned>(e.kind), expected.kind);
      ASSERT_EQ(e.detailSeq, ada::atf::kNoDetail);
      if (GetParam() == 1) {
        ASSERT_EQ(e.storedDepth, expected.depth);
        ASSERT_EQ(e.threadId, 4711u);
      }
    }
  }

  ScratchDirectory scratch_;
  std::string path_ = scratch_.path() + "/thread_5/index.atf";
  std::string directory_ = scratch_.path();
};

TEST_P(IndexFileTest, MakesNothingBeforeTheFirstEvent) {
  IndexFile file;
  file.begin(directory_.c_str(), 5, 4711, GetParam());
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_P(IndexFileTest, IsReadableAfterEachAppend) {
  IndexFile file;
  file.begin(directory_.c_str(), 5, 4711, GetParam());
  uint64_t written = 0;
  for (uint64_t more : {1, 2, 500, 3000}) {
    append(file, written, written + more);
    expect(written += more, false);
  }
  ASSERT_EQ(file.finish(false), 0);
  expect(written, true);
  EXPECT_EQ(file.events(), written);
}

TEST_P(IndexFileTest, AnEmptyFileHasAFooter) {
  IndexFile file;
  file.begin(directory_.c_str(), 5, 4711, GetParam());
  ASSERT_EQ(file.finish(false), 0);
  expect(0, true);
}

// After a failed exec, or a flush, the trace continues although it was finished.
TEST_P(IndexFileTest, GoesOnAfterItWasFinished) {
  IndexFile file;
  file.begin(directory_.c_str(), 5, 4711, GetParam());
  append(file, 0, 100);
  ASSERT_EQ(file.finish(false), 0);
  expect(100, true);
  append(file, 100, 101);
  expect(101, false);
  append(file, 101, 250);
  ASSERT_EQ(file.finish(false), 0);
  ASSERT_EQ(file.finish(false), 0);
  expect(250, true);
}

TEST_P(IndexFileTest, TheDescriptorMayBeGivenBackAtAnyTime) {
  IndexFile file;
  file.begin(directory_.c_str(), 5, 4711, GetParam());
  for (uint64_t i = 0; i < 20; ++i) {
    append(file, 10 * i, 10 * (i + 1));
    file.closeDescriptor();
    EXPECT_FALSE(file.isOpen());
  }
  ASSERT_EQ(file.finish(false), 0);
  file.closeDescriptor();
  expect(200, true);
}

TEST_P(IndexFileTest, SaysWhenItCannotBeMade) {
  std::string nowhere = directory_ + "/nowhere";
  IndexFile file;
  file.begin(nowhere.c_str(), 5, 4711, GetParam());
  unsigned char bytes[32];
  file.encode(bytes, event(0));
  EXPECT_EQ(file.append(bytes, sizeof bytes, 1), -ENOENT);
  EXPECT_EQ(file.events(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Versions, IndexFileTest, testing::Values(1, 2));

} // namespace
