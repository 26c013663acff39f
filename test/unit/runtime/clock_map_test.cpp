// The clock map is exact at its anchors, close between them, and monotonic everywhere.
// The same holds beyond the anchors and when their ring wraps around.
#include "shared/ring/clock_map.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using ada::ring::ClockMap;

namespace {

// Anchors in a ring as the drain keeps them.
struct Anchors {
  std::vector<ada_anchor> ring = std::vector<ada_anchor>(ADA_RING_ANCHORS);
  uint64_t used = 0;

  void add(uint64_t counter, uint64_t ns) { ring[used++ % ADA_RING_ANCHORS] = {counter, ns}; }
  ClockMap map() const {
    ClockMap m;
    m.update(ring.data(), used);
    return m;
  }
};

TEST(ClockMap, WithoutAnchorsTheCounterIsTheTime) {
  ClockMap map = Anchors().map();
  EXPECT_EQ(map.toNanoseconds(0), 0u);
  EXPECT_EQ(map.toNanoseconds(123456789012345), 123456789012345u);
}

TEST(ClockMap, OneAnchorCountsOneNanosecondATick) {
  Anchors anchors;
  anchors.add(1000, 500000);
  ClockMap map = anchors.map();
  EXPECT_EQ(map.toNanoseconds(1000), 500000u);
  EXPECT_EQ(map.toNanoseconds(1010), 500010u);
  EXPECT_EQ(map.toNanoseconds(990), 499990u);
}

TEST(ClockMap, InterpolatesBetweenAnchors) {
  Anchors anchors; // 2 ticks per nanosecond, then 4
  anchors.add(1000, 100);
  anchors.add(3000, 1100);
  anchors.add(7000, 2100);
  ClockMap map = anchors.map();
  EXPECT_EQ(map.toNanoseconds(1000), 100u);
  EXPECT_EQ(map.toNanoseconds(2000), 600u);
  EXPECT_EQ(map.toNanoseconds(3000), 1100u);
  EXPECT_EQ(map.toNanoseconds(5000), 1600u);
  EXPECT_EQ(map.toNanoseconds(7000), 2100u);
  EXPECT_EQ(map.toNanoseconds(2000), 600u); // back to an older segment
}

// A drain that never sleeps takes many anchors in a short time. On an overloaded machine some of them are late by the
// time that the drain was off-CPU.
TEST(ClockMap, ExtrapolatesFromLateAnchors) {
  std::mt19937_64 random(7);
  Anchors anchors;
  uint64_t counter = 1000000, last = 0; // a tick is a nanosecond
  auto add = [&](uint64_t late) { anchors.add(counter, last = std::max(last, counter + late)); };
  for (int i = 0; i < 200; ++i, counter += 10000000)
    add(0);
  for (int i = 0; i < 200; ++i, counter += 20000)
    add(random() % 8 ? 0 : random() % 20000000);
  ClockMap map = anchors.map();
  for (const uint64_t ahead : {uint64_t{1000000}, uint64_t{100000000}, uint64_t{1000000000}})
    EXPECT_NEAR(static_cast<double>(map.toNanoseconds(counter + ahead)), static_cast<double>(counter + ahead),
                20e6 + 0.02 * static_cast<double>(ahead));
}

TEST(ClockMap, ExtrapolatesBeforeAndAfter) {
  Anchors anchors;
  for (int i = 0; i <= 10; ++i)
    anchors.add(10000 + 3000 * i, 50000 + 1000 * i);
  ClockMap map = anchors.map();
  EXPECT_NEAR(static_cast<double>(map.toNanoseconds(10000 + 3000 * 20)), 50000 + 1000 * 20, 1);
  EXPECT_NEAR(static_cast<double>(map.toNanoseconds(10000 - 3000)), 50000 - 1000, 1);
  EXPECT_EQ(map.toNanoseconds(0), 50000u - 3333u);
}

TEST(ClockMap, NeverFallsBelowZero) {
  Anchors anchors;
  anchors.add(1000000, 10);
  anchors.add(2000000, 1000010);
  EXPECT_EQ(anchors.map().toNanoseconds(0), 0u);
}

TEST(ClockMap, EqualAnchorTimesDoNotDivideByZero) {
  Anchors anchors;
  anchors.add(100, 1000);
  anchors.add(101, 1000);
  ClockMap map = anchors.map();
  EXPECT_EQ(map.toNanoseconds(100), 1000u);
  EXPECT_EQ(map.toNanoseconds(200), 1000u);
}

TEST(ClockMap, TakesLargeCountersAndLongStretches) {
  // A machine that has run for 200 days at 5 GHz, and a whole day without an anchor.
  const uint64_t counter = 86400ull * 200 * 5000000000, ns = 86400ull * 200 * 1000000000;
  Anchors anchors;
  anchors.add(counter, ns);
  anchors.add(counter + 86400ull * 5000000000, ns + 86400ull * 1000000000);
  ClockMap map = anchors.map();
  EXPECT_NEAR(static_cast<double>(map.toNanoseconds(counter + 43200ull * 5000000000) - ns), 43200e9, 50000);
}

// Anchors as a noisy machine gives them: the rate wanders, the readings jitter.
TEST(ClockMap, MonotonicAndExactAtAnchorsWhileTheRingGoesRound) {
  std::mt19937_64 random(7);
  for (uint64_t count : {2, 3, 65, 70, 2047, 2048, 2049, 5000}) {
    Anchors anchors;
    uint64_t counter = 1000000000, ns = 77000000000;
    std::vector<ada_anchor> all;
    for (uint64_t i = 0; i < count; ++i) {
      anchors.add(counter, ns);
      all.push_back({counter, ns});
      uint64_t step = 1 + random() % 30000000;
      counter += step;
      ns += step * (290 + random() % 20) / 1000 + random() % 50;
    }
    ClockMap map = anchors.map();
    size_t first = count > ADA_RING_ANCHORS ? count - ADA_RING_ANCHORS : 0;
    for (size_t i = first; i < count; ++i)
      ASSERT_EQ(map.toNanoseconds(all[i].counter), all[i].time_ns) << i << " of " << count;
    // Forwards, in small and large steps, over all segments and beyond both ends.
    uint64_t last = 0;
    uint64_t from = all[first].counter - 20000000, to = counter + 50000000;
    for (uint64_t c = from; c < to; c += 1 + random() % ((to - from) / 20000)) {
      uint64_t t = map.toNanoseconds(c);
      ASSERT_GE(t, last) << "counter " << c << " of " << count << " anchors";
      last = t;
    }
    // In any order: the segment kept from the last lookup changes no answer.
    for (int i = 0; i < 2000; ++i) {
      uint64_t c = from + random() % (to - from);
      uint64_t answer = map.toNanoseconds(c);
      ASSERT_EQ(answer, anchors.map().toNanoseconds(c));
    }
  }
}

} // namespace
