// The merge takes the smallest time first, and on a tie the earlier thread.
// It keeps each thread's order, even where the thread's time goes back.
#include "ada/trace/atf_writer.h"
#include "ada/trace/merge.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>
#include <random>

using namespace ada;
using namespace ada::atf;
using ada::test::ScratchDirectory;

namespace {

using Times = std::vector<uint64_t>;

std::vector<IndexReader> readersOf(const std::vector<Times> &threads, const ScratchDirectory &scratch) {
  std::vector<IndexReader> readers;
  for (size_t i = 0; i < threads.size(); ++i) {
    std::string path = scratch / (std::to_string(i) + ".atf");
    auto writer = IndexWriter::create(path, {.overwrite = true});
    for (uint64_t t : threads[i])
      EXPECT_TRUE(writer->append({.timestampNs = t, .functionId = i}));
    EXPECT_TRUE(writer->finish());
    readers.push_back(*IndexReader::open(path));
  }
  return readers;
}

struct Item {
  uint64_t time;
  size_t thread;
  uint64_t seq;
  bool operator==(const Item &) const = default;
};

// The rule, written out literally.
std::vector<Item> slowMerge(const std::vector<Times> &threads) {
  std::vector<Item> result;
  std::vector<size_t> next(threads.size());
  while (true) {
    size_t best = threads.size();
    for (size_t i = 0; i < threads.size(); ++i)
      if (next[i] < threads[i].size() && (best == threads.size() || threads[i][next[i]] < threads[best][next[best]]))
        best = i;
    if (best == threads.size())
      return result;
    result.push_back({threads[best][next[best]], best, next[best]});
    ++next[best];
  }
}

std::vector<Item> merge(const std::vector<IndexReader> &readers) {
  std::vector<MergeCursor::Source> sources;
  for (const IndexReader &reader : readers)
    sources.push_back({&reader, reader.all()});
  std::vector<Item> result;
  for (MergeCursor next(sources); next; next.advance())
    result.push_back({next.event().timestampNs, next.thread(), next.seq()});
  return result;
}

TEST(AtfMerge, FollowsTheRule) {
  ScratchDirectory scratch;
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<Times> threads(random() % 9);
    for (Times &times : threads) {
      uint64_t now = random() % 20;
      for (size_t n = random() % 40; n > 0; --n) {
        times.push_back(now);
        now += random() % 3;
        if (random() % 16 == 0)
          now -= std::min<uint64_t>(now, random() % 10);
        if (random() % 16 == 0)
          now += 15; // a run of another thread
      }
    }
    ASSERT_EQ(merge(readersOf(threads, scratch)), slowMerge(threads)) << round;
  }
}

TEST(AtfMerge, EqualTimesGoToTheEarlierThread) {
  ScratchDirectory scratch;
  std::vector<Item> want{{5, 0, 0}, {5, 0, 1}, {5, 1, 0}, {5, 1, 1}, {5, 2, 0}, {~uint64_t{0}, 0, 2}};
  EXPECT_EQ(merge(readersOf({{5, 5, ~uint64_t{0}}, {5, 5}, {5}}, scratch)), want);
}

TEST(AtfMerge, ManyThreads) {
  ScratchDirectory scratch;
  std::vector<Times> threads(700);
  std::mt19937_64 random(4);
  for (Times &times : threads)
    for (int n = 0; n < 5; ++n)
      times.push_back(random() % 1000);
  EXPECT_EQ(merge(readersOf(threads, scratch)), slowMerge(threads));
}

TEST(AtfMerge, RangesAreKept) {
  ScratchDirectory scratch;
  auto readers = readersOf({{1, 3, 5, 7}, {2, 4, 6}}, scratch);
  std::vector<MergeCursor::Source> sources{{&readers[0], {1, 3}}, {nullptr, {}}, {&readers[1], {2, 99}}};
  std::vector<Item> got;
  for (MergeCursor next(sources); next; next.advance())
    got.push_back({next.event().timestampNs, next.thread(), next.seq()});
  EXPECT_EQ(got, (std::vector<Item>{{3, 0, 1}, {5, 0, 2}, {6, 2, 2}}));
}

TEST(AtfMerge, NothingIsTheEnd) {
  EXPECT_FALSE(MergeCursor(std::span<const MergeCursor::Source>()));
  MergeCursor::Source none;
  EXPECT_FALSE(MergeCursor(std::span(&none, 1)));
}

} // namespace
