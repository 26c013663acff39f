// The fast pass for the ordinary case gives the same results as the full rules.
//
// Random threads: calls, returns and exceptions, handlers' records after the record that they interrupted, gaps, marks
// and jumps, places that were never completed, two modules of which one is replaced, and times over many segments of
// the clock map. Each thread is read twice, in passes that end at the same times: once with plain records taken by the
// fast pass and the others in batches of any size, and once by the full rules alone.
#include "random_chunk.h"
#include "shared/ring/plain_walk.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace ada::ring;
using namespace ada::test;

namespace {

class Reading {
public:
  Reading(const Chunk &chunk, bool plain, bool replacesModule = false, uint64_t mostRecords = ADA_CHUNK_RECORDS)
      : plain_(plain), mostRecords_(mostRecords) {
    walk_.chunk = &chunk.header;
    for (uint64_t i = 0; i < 20; ++i)
      anchors_[i] = {1000 + 1000 * i, 5000 + 997 * i + i % 3};
    clock_.update(anchors_, 20);
    modules_[0].begin = kBase, modules_[0].end = kBase + 10 * sizeof(ada_function), modules_[0].module_id = 1;
    modules_[1].begin = modules_[0].end, modules_[1].end = kBase + kFunctions * sizeof(ada_function);
    modules_[1].module_id = 2;
    modules_[2] = modules_[1];
    modules_[2].loaded_stamp = replacesModule ? 9000 : UINT64_MAX - 1, modules_[2].module_id = 3;
    // The fast pass finds out which module's functions may share a frame, the full rules know it.
    for (ada_ring_module &m : modules_)
      m.flags = plain ? ADA_MODULE_INLINED | ADA_MODULE_UNEXAMINED : flagsOf(m.module_id);
    map_.examineBy(
        [](void *reading, uint32_t id) {
          for (ada_ring_module &m : static_cast<Reading *>(reading)->modules_)
            m.flags = m.module_id == id ? flagsOf(id) : m.flags;
        },
        this);
    map_.update(modules_, 3);
    batch_.records = records_.data(), batch_.details = details_.data(), batch_.places = places_.data();
  }
  ~Reading() { std::free(state.stack.memory()); }

  void pass(uint64_t limit, bool closed) {
    for (bool again = true; again;) {
      const WalkRules rules = {limit, nullptr, closed, false, state.stack.depth};
      auto emit = [&](const Event &e) { events.push_back(e); };
      if (plain_)
        plainRecords += takePlain(walk_, rules, state, clock_, map_, emit);
      settle(walk_, state);
      state.floor = state.stack.depth;
      const uint64_t most = plain_ ? mostRecords_ : ADA_CHUNK_RECORDS;
      const WalkEnd end = takeRecords(walk_, {limit, nullptr, closed, false, state.stack.depth, most}, batch_);
      for (uint64_t i = 0; i < batch_.count; ++i)
        expand(state, batch_.records[i], clock_, map_, grow, emit);
      again = end == WalkEnd::Split || (closed && batch_.count == 0 &&
                                        takeLate(walk_, {limit, nullptr, closed, false, state.stack.depth}, batch_));
      for (uint64_t i = 0; end != WalkEnd::Split && again && i < batch_.count; ++i)
        expand(state, batch_.records[i], clock_, map_, grow, emit);
    }
    settle(walk_, state);
    state.floor = state.stack.depth;
  }

  ThreadExpansion state;
  std::vector<Event> events;
  uint64_t plainRecords = 0;

private:
  static uint64_t flagsOf(uint32_t moduleId) { return moduleId == 2 ? ADA_MODULE_INLINED : 0; }

  bool plain_;
  uint64_t mostRecords_; // in a batch of records that are not plain
  ThreadWalk walk_;
  ada_anchor anchors_[ADA_RING_ANCHORS] = {};
  ada_ring_module modules_[3] = {};
  ClockMap clock_;
  ModuleMap map_;
  RecordBatch batch_;
  std::vector<ada_record> records_ = std::vector<ada_record>(ADA_CHUNK_RECORDS);
  std::vector<const ada_detail *> details_ = std::vector<const ada_detail *>(ADA_CHUNK_RECORDS);
  std::vector<uint16_t> places_ = std::vector<uint16_t>(ADA_CHUNK_RECORDS);
};

void compare(const Reading &all, const Reading &plain, bool withTimes) {
  ASSERT_EQ(all.events.size(), plain.events.size());
  for (size_t i = 0; i < all.events.size(); ++i) {
    const Event &a = all.events[i], &b = plain.events[i];
    ASSERT_EQ(a.kind, b.kind) << i;
    ASSERT_EQ(a.functionId, b.functionId) << i;
    ASSERT_EQ(a.depth, b.depth) << i;
    ASSERT_EQ(a.ofRecord, b.ofRecord) << i;
    if (withTimes) {
      ASSERT_EQ(a.timestampNs, b.timestampNs) << i;
      ASSERT_EQ(a.beginNs, b.beginNs) << i;
    }
  }
  EXPECT_EQ(all.state.strayExits, plain.state.strayExits);
  EXPECT_EQ(all.state.madeExits, plain.state.madeExits);
  EXPECT_EQ(all.state.silentExits, plain.state.silentExits);
  EXPECT_EQ(all.state.unknownEntries, plain.state.unknownEntries);
  EXPECT_EQ(all.state.stack.depth, plain.state.stack.depth);
}

TEST(PlainWalk, GivesWhatTheRulesGive) {
  std::mt19937 random(5);
  uint64_t plainRecords = 0;
  for (int turn = 0; turn < 400; ++turn) {
    const bool inverts = turn % 2;
    const auto chunk = randomChunk(random, (unsigned[]){0, 1, 20, 300}[turn / 2 % 4], inverts);
    // Where stamps are lowered, times may differ by the lowered amount, because a batch lowers more of them.
    Reading all(*chunk, false, !inverts);
    Reading plain(*chunk, true, !inverts, turn % 3 == 0 ? ADA_CHUNK_RECORDS : 1 + turn % 40);
    for (uint64_t limit = random() % 3000; limit < 40000; limit += random() % 3000) {
      all.pass(limit, false);
      plain.pass(limit, false);
    }
    all.pass(UINT64_MAX, true);
    plain.pass(UINT64_MAX, true);
    ASSERT_NO_FATAL_FAILURE(compare(all, plain, !inverts)) << "turn " << turn;
    plainRecords += plain.plainRecords;
    EXPECT_FALSE(all.events.empty());
  }
  EXPECT_GT(plainRecords, 400u * ADA_CHUNK_RECORDS / 3);
}

TEST(PlainWalk, LeavesTheLastRecordAndWhatIsYounger) {
  auto chunk = std::make_unique<Chunk>();
  std::memset(static_cast<void *>(chunk.get()), 0, sizeof *chunk);
  chunk->records[0] = {1010, 0x7ff000000000 | ADA_RECORD_STACK};
  for (uint64_t i = 1; i < ADA_CHUNK_RECORDS; ++i)
    chunk->records[i] = {1010 + i, kBase | (i % 2 ? ADA_RECORD_CALL | 9ull << kPositionShift : ADA_RECORD_RETURN)};
  Reading reading(*chunk, true);
  reading.pass(1010 + 100, false);
  EXPECT_EQ(reading.events.size(), 100u);
  EXPECT_EQ(reading.plainRecords, 0u) << "the first call needs memory for the stack, and to know where that is";
  reading.pass(UINT64_MAX, false);
  EXPECT_EQ(reading.events.size(), ADA_CHUNK_RECORDS - 1);
  EXPECT_EQ(reading.plainRecords, ADA_CHUNK_RECORDS - 102);
}

} // namespace
