// Detail events that wait for a trigger: the entries of open calls are found again when the call ends, and only those.
#include "core/drain/retained_details.h"
#include "core/ring/ring.h"

#include <gtest/gtest.h>

using namespace ada;
using namespace ada::runtime;

// The pool here has no ring, so that nothing is lent.
ada_chunk *Ring::lend() { return nullptr; }

namespace {

class RetainedDetailsTest : public testing::Test {
protected:
  RetainedDetailsTest() { pool_.start(16 * ADA_CHUNK_BYTES, nullptr); }
  ~RetainedDetailsTest() override { retained_.reset(pool_); }
  void keep(uint64_t seq) {
    const unsigned char data[8] = {};
    ASSERT_TRUE(retained_.keep(pool_, 0, {seq, seq, sizeof data, 1, RetainedDetails::Plain}, data));
  }
  void keepWatched(uint64_t seq, uint32_t depth) {
    keep(seq);
    retained_.watch(depth);
  }
  void writeOldest() {
    retained_.forgetOldest();
    retained_.removeOldest();
  }

  DetailPool pool_;
  RetainedDetails retained_;
};

TEST_F(RetainedDetailsTest, ACaughtCallIsWanted) {
  keepWatched(1, 0);
  keep(2);
  EXPECT_EQ(retained_.unwatch(0, true), nullptr); // not held: it is still in its place
  EXPECT_EQ(retained_.oldest()->state, RetainedDetails::Wanted);
}

TEST_F(RetainedDetailsTest, AHeldOneIsReturned) {
  keepWatched(1, 0);
  ASSERT_TRUE(retained_.holdOldest());
  retained_.removeOldest();
  const RetainedDetails::Entry *held = retained_.unwatch(0, true);
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->index_seq, 1u);
}

// Until they are in a file, a kill must not take them from the ring.
TEST_F(RetainedDetailsTest, RemovedOnesStayUntilTheyAreSettled) {
  keep(1), keep(2);
  auto *const block = static_cast<const RetainedDetails::Block *>(retained_.oldestBlock());
  const uint32_t end = block->end;
  retained_.removeOldest();
  EXPECT_EQ(retained_.oldest()->index_seq, 2u);
  EXPECT_EQ(block->begin, 0u);
  retained_.settle(pool_);
  EXPECT_EQ(block->begin, end / 2);
  retained_.removeOldest();
  EXPECT_EQ(retained_.oldest(), nullptr);
  EXPECT_EQ(block->state, ADA_CHUNK_DETAIL);
  keep(3);
  EXPECT_EQ(retained_.oldest()->index_seq, 3u);
  retained_.removeOldest();
  retained_.settle(pool_);
  EXPECT_EQ(block->state, ADA_CHUNK_FREE);
  for (uint64_t seq = 0; seq < 10000; ++seq) // several blocks
    keep(seq);
  for (uint64_t seq = 0; seq < 10000; ++seq) {
    ASSERT_EQ(retained_.oldest()->index_seq, seq);
    retained_.removeOldest();
    if (seq % 3000 == 0)
      retained_.settle(pool_);
  }
  EXPECT_EQ(retained_.oldest(), nullptr);
}

// A window needs it while its call is open. Its place is another entry's when the call ends.
TEST_F(RetainedDetailsTest, AWrittenOneIsForgotten) {
  keepWatched(1, 0);
  keepWatched(2, 1);
  writeOldest();
  ASSERT_TRUE(retained_.holdOldest()); // the next one is found, although it was not the first to be watched
  retained_.removeOldest();
  keep(3); // where the first one was
  const RetainedDetails::Entry *held = retained_.unwatch(1, true);
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->index_seq, 2u);
  EXPECT_EQ(retained_.unwatch(0, true), nullptr);
  EXPECT_EQ(retained_.oldest()->index_seq, 3u);
  EXPECT_EQ(retained_.oldest()->state, RetainedDetails::Plain);
}

} // namespace
