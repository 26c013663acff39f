// Where events were lost: how many gaps are kept, which ones are joined, and how records produce them.
#include "random_chunk.h"
#include "shared/ring/expander.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

using namespace ada::ring;
using ada::test::grow, ada::test::kBase;

namespace ada::ring {
static bool operator==(const Gap &a, const Gap &b) {
  return std::tie(a.fromNs, a.toNs, a.events) == std::tie(b.fromNs, b.toNs, b.events);
}
static void PrintTo(const Gap &gap, std::ostream *out) { *out << gap.fromNs << "-" << gap.toNs << ": " << gap.events; }
} // namespace ada::ring

namespace {

std::vector<Gap> gapsIn(const GapList &list) { return {list.gaps, list.gaps + list.count}; }

uint64_t sumOf(const std::vector<Gap> &gaps) {
  uint64_t sum = 0;
  for (const Gap &gap : gaps)
    sum += gap.events;
  return sum;
}

// What holds for every list, however it was made.
void expectOrder(const std::vector<Gap> &gaps) {
  ASSERT_LE(gaps.size(), kMaxGaps);
  for (size_t i = 0; i < gaps.size(); ++i) {
    ASSERT_LE(gaps[i].fromNs, gaps[i].toNs);
    if (i > 0) {
      ASSERT_LE(gaps[i - 1].toNs, gaps[i].fromNs);
    }
  }
}

bool isCovered(const Gap &gap, const std::vector<Gap> &by) {
  return std::ranges::any_of(by, [&](const Gap &one) { return one.fromNs <= gap.fromNs && gap.toNs <= one.toNs; });
}

// All losses stay within gaps, their sum stays the same, and there are never too many gaps.
TEST(GapList, KeepsWhatItCovers) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto list = std::make_unique<GapList>();
    std::vector<Gap> all;
    uint64_t ns = random() % 100;
    const size_t count = random() % 1000, farthest = 1 + random() % 1000;
    while (all.size() < count) {
      const uint64_t to = ns + random() % 50;
      all.push_back({ns, to, 1 + random() % 9});
      list->add(all.back());
      ns = random() % 8 == 0 ? ns + random() % 50 : to + random() % farthest; // some overlap
      expectOrder(gapsIn(*list));
    }
    const std::vector<Gap> kept = gapsIn(*list);
    EXPECT_EQ(sumOf(kept), sumOf(all));
    for (const Gap &gap : all)
      EXPECT_TRUE(isCovered(gap, kept)) << testing::PrintToString(gap);
    if (!all.empty()) {
      EXPECT_EQ(kept.front().fromNs, all.front().fromNs);
    }
  }
}

// The gaps closest to each other are joined one after the other. No other list of that length covers less time.
TEST(GapList, JoinsTheNearest) {
  std::mt19937 random(2);
  const auto list = std::make_unique<GapList>();
  std::vector<uint64_t> distances;
  uint64_t ns = 1000, lost = 0;
  for (size_t i = 0; i < kMaxGaps + 100; ++i) {
    list->add({ns, ns + 10, 1});
    lost += 10;
    distances.push_back(1 + random() % 1000000);
    ns += 10 + distances.back();
  }
  distances.pop_back(); // after the last one
  std::ranges::sort(distances);
  for (size_t i = 0; i < 100; ++i)
    lost += distances[i];
  uint64_t covered = 0;
  for (const Gap &gap : gapsIn(*list))
    covered += gap.toNs - gap.fromNs;
  EXPECT_EQ(list->count, kMaxGaps);
  EXPECT_EQ(covered, lost);
}

TEST(GapList, EndsWithTheLast) {
  GapList list = {};
  list.add({10, 20, 1});
  list.add({20, 30, 2}); // begins with the event that ended the first
  list.add({40, 50, 3});
  list.add({60, 70, 4});
  EXPECT_EQ(list.count, 4u);
  list.addLast({45, 65, 10});
  EXPECT_EQ(gapsIn(list), (std::vector<Gap>{{10, 20, 1}, {20, 30, 2}, {40, 70, 17}}));
  list.reduceTo(1);
  EXPECT_EQ(gapsIn(list), (std::vector<Gap>{{10, 70, 20}}));
}

TEST(GapList, CountsAndForgets) {
  GapList list = {};
  for (uint64_t ns : {10, 30, 50})
    list.add({ns, ns + 5, 1});
  list.countIn(9, 100);  // in no gap
  list.countIn(20, 100); // in no gap
  list.countIn(30, 2);
  list.countIn(55, 3);
  list.countIn(56, 100); // in no gap
  EXPECT_EQ(gapsIn(list), (std::vector<Gap>{{10, 15, 1}, {30, 35, 3}, {50, 55, 4}}));
  list.removeBefore(14);
  EXPECT_EQ(list.count, 3u);
  list.removeBefore(35);
  EXPECT_EQ(gapsIn(list), (std::vector<Gap>{{50, 55, 4}}));
  list.removeBefore(UINT64_MAX);
  EXPECT_EQ(list.count, 0u);
}

//===--- from records -----------------------------------------------------===//

class Records {
public:
  Records() {
    module_.begin = kBase, module_.end = kBase + 26 * sizeof(ada_function), module_.module_id = 1;
    modules_.update(&module_, 1);
    state.gaps.makeList = [] { return static_cast<GapList *>(std::calloc(1, sizeof(GapList))); };
    state.gaps.startNs = 3;
  }
  ~Records() {
    std::free(state.stack.memory());
    std::free(state.gaps.list);
  }
  void call(uint64_t ns, char function) { add(ns, entry(function) | ADA_RECORD_CALL); }
  void leave(uint64_t ns, char function) { add(ns, entry(function) | ADA_RECORD_RETURN); }
  void lost(uint64_t ns, uint64_t total) { add(ns, total << 4 | ADA_RECORD_LOST); }
  void gap(uint64_t ns, uint64_t closed, uint64_t opened) { add(ns, closed << 34 | opened << 4 | ADA_RECORD_GAP); }
  void add(uint64_t ns, uint64_t what) {
    expand(state, {ns, what}, clock_, modules_, grow, [&](const Event &) { ++events; });
  }
  static uint64_t entry(char function) { return kBase + uint64_t(function - 'a') * sizeof(ada_function); }
  std::vector<Gap> gaps() const { return state.gaps.list ? gapsIn(*state.gaps.list) : std::vector<Gap>(); }

  ThreadExpansion state;
  uint64_t events = 0;

private:
  ada_ring_module module_ = {};
  ModuleMap modules_;
  ClockMap clock_;
};

TEST(GapLog, LiesBetweenTwoEvents) {
  Records r;
  r.call(10, 'a');
  r.lost(20, 6);
  r.leave(21, 'a');
  r.call(30, 'a');
  r.lost(40, 10);
  EXPECT_EQ(r.gaps(), (std::vector<Gap>{{10, 21, 6}}));
  EXPECT_TRUE(r.state.gaps.isOpen);
  EXPECT_EQ(r.state.gaps.open.fromNs, 30u);
  EXPECT_EQ(r.state.gaps.open.events, 4u);
  r.call(41, 'b');
  EXPECT_EQ(r.gaps(), (std::vector<Gap>{{10, 21, 6}, {30, 41, 4}}));
}

TEST(GapLog, BeforeTheFirstEvent) {
  Records r;
  r.lost(20, 2);
  r.call(21, 'a');
  EXPECT_EQ(r.gaps(), (std::vector<Gap>{{3, 21, 2}}));
}

// Lost exits that the file nevertheless has don't count; exits of lost calls count at the place of the call.
TEST(GapLog, AroundCallsThatAreOpen) {
  Records r;
  r.call(10, 'a');
  r.call(11, 'b');
  r.lost(20, 5); // lost: b's return, then a call of c, a call of d, its return, and a call of d
  r.gap(20, 1, 2);
  EXPECT_EQ(r.events, 3u);
  EXPECT_EQ(r.gaps(), (std::vector<Gap>{{11, 20, 4}}));
  r.call(30, 'e');
  r.leave(31, 'e');
  r.leave(32, 'd');
  r.leave(33, 'c');
  r.leave(34, 'a');
  EXPECT_EQ(r.events, 6u);
  EXPECT_EQ(r.gaps(), (std::vector<Gap>{{11, 20, 6}}));
  EXPECT_EQ(5 + r.state.silentExits - r.state.madeExits, sumOf(r.gaps()));
}

TEST(GapLog, OfFunctionsInNoModule) {
  Records r;
  r.call(10, 'a');
  r.add(11, (kBase + 4096) | ADA_RECORD_CALL);
  r.add(12, (kBase + 4096) | ADA_RECORD_RETURN);
  r.leave(13, 'a');
  EXPECT_EQ(r.gaps(), (std::vector<Gap>{{10, 13, 2}}));
}

// If gaps are not wanted, or there is no memory for them, everything else still works.
TEST(GapLog, WithoutAList) {
  for (GapList *(*make)() : {(GapList * (*)()) nullptr, +[]() -> GapList * { return nullptr; }}) {
    Records r;
    r.state.gaps.makeList = make;
    r.call(10, 'a');
    r.lost(20, 5);
    r.gap(20, 0, 1);
    r.leave(21, 'b');
    r.leave(22, 'a');
    EXPECT_EQ(r.events, 2u);
    EXPECT_EQ(r.state.gaps.threadLost, 5u);
    EXPECT_EQ(r.gaps().size(), 0u);
  }
}

} // namespace
