// How often the ticker advances its word, depending on what became of the last advances.
#include "core/ring/tick_pace.h"

#include <gtest/gtest.h>

using ada::runtime::TickPace;

namespace {

constexpr uint64_t kLeast = 20000, kWindow = 20000000; // ns

// As many advances as the period promises, and that many switches per hundred. False if the ticker should pause.
bool onTime(TickPace &pace, uint64_t switchesPerHundred) {
  const uint64_t ticks = kWindow / pace.ns();
  return pace.adapt(ticks, ticks * switchesPerHundred / 100, kWindow);
}

TickPace started(TickPace::Period period = TickPace::Period::Adapted, unsigned processors = 4) {
  TickPace pace;
  pace.start(kLeast, period, processors);
  return pace;
}

TEST(TickPace, StaysAtItsBestWhereProcessorsAreIdle) {
  TickPace pace = started();
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(onTime(pace, 0));
  EXPECT_EQ(pace.ns(), kLeast);
}

TEST(TickPace, DoublesWhileAdvancesTakeProcessorsFromThreads) {
  TickPace pace = started();
  uint64_t expected = kLeast;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(onTime(pace, 90));
    EXPECT_EQ(pace.ns(), expected *= 2);
  }
  EXPECT_TRUE(onTime(pace, 90)) << "it is as slow as it may be, but it comes";
  EXPECT_EQ(pace.ns(), kLeast * TickPace::kMaxTimes);
}

TEST(TickPace, ComesBackWhenProcessorsAreIdleAgain) {
  TickPace pace = started();
  while (pace.ns() < kLeast * TickPace::kMaxTimes)
    onTime(pace, 90);
  EXPECT_TRUE(onTime(pace, 25));
  EXPECT_EQ(pace.ns(), kLeast * TickPace::kMaxTimes) << "some switches, neither many nor few";
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(onTime(pace, 0));
  EXPECT_EQ(pace.ns(), kLeast);
}

TEST(TickPace, PausesWhenItGetsNoProcessorHoweverSeldomItComes) {
  TickPace pace = started();
  const auto late = [&] { return pace.adapt(kWindow / pace.ns() / 5, 0, kWindow); };
  while (pace.ns() < kLeast * TickPace::kMaxTimes)
    EXPECT_TRUE(late());
  EXPECT_FALSE(late());
}

TEST(TickPace, KeepsThePeriodThatTheUserAskedFor) {
  TickPace pace = started(TickPace::Period::Fixed);
  EXPECT_TRUE(onTime(pace, 90));
  EXPECT_EQ(pace.ns(), kLeast);
  EXPECT_FALSE(pace.adapt(1, 0, kWindow)) << "it gets no processor";
  EXPECT_EQ(pace.ns(), kLeast);
}

TEST(TickPace, IsSlowFromTheStartWithOneProcessor) {
  TickPace pace = started(TickPace::Period::Adapted, 1);
  EXPECT_EQ(pace.ns(), kLeast * TickPace::kMaxTimes);
  EXPECT_TRUE(onTime(pace, 90));
}

} // namespace
