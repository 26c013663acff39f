// The statistics of `adatrace outliers`: chances, durations of many calls, and which of them are slow.
#include "analysis/outliers/call_times.h"
#include "analysis/outliers/chance.h"
#include "analysis/outliers/slow_calls.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace ada::analysis;

namespace {

constexpr auto kNothing = [](TimedCall call) { return call; };

CallTimes timesOf(const std::vector<uint64_t> &durations) {
  CallTimes times;
  std::mt19937_64 random(1);
  for (const uint64_t ns : durations)
    times.add(ns, random(), kNothing);
  return times;
}

void expectClose(double value, double expected) { EXPECT_NEAR(value / expected, 1, 1e-6); }

} // namespace

// Fisher, The Design of Experiments (1935), and the example of the Wikipedia article on his test.
TEST(Chance, FisherTea) {
  expectClose(chanceOfAtLeast(4, 4, 4, 8), 1.0 / 70);
  expectClose(chanceOfAtLeast(3, 4, 4, 8), 17.0 / 70);
  EXPECT_NEAR(chanceOfAtLeast(9, 12, 10, 24), 0.00137976, 5e-8);
  EXPECT_EQ(chanceOfAtLeast(2, 4, 4, 8), 1); // what is expected
  EXPECT_EQ(chanceOfAtLeast(5, 4, 4, 8), 0); // impossible
  EXPECT_EQ(chanceOfAtLeast(0, 4, 4, 8), 1);
}

// Values from exact fractions.
TEST(Chance, HypergeometricTail) {
  expectClose(chanceOfAtLeast(5, 10, 20, 100), 0.025464546427043124);
  expectClose(chanceOfAtLeast(40, 400, 500, 10'000), 2.016832456589604e-05);
  expectClose(chanceOfAtLeast(5, 100, 5, 10'000'000), 9.034511434508273e-26); // C(100, 5) / C(10,000,000, 5)
}

TEST(Chance, BinomialTail) {
  expectClose(binomialTail(8, 10, 0.5), 56.0 / 1024);
  expectClose(binomialTail(60, 100, 0.5), 0.028443966820490395);
  expectClose(binomialTail(10, 100, 0.05), 0.028188294163416106);
  expectClose(binomialTail(40, 1000, 0.02), 4.33987589474642e-05);
  EXPECT_EQ(binomialTail(5, 100, 0.05), 1); // the mean
  EXPECT_EQ(binomialTail(1'000'000, 1'000'000'000, 1e-9), 0);
  EXPECT_EQ(binomialTail(3, 2, 0.5), 0);
}

// Median 100 and upper quartile 200 are those of a law with survival 50 / t: of 100 calls, 5 take 1000 or longer.
TEST(Chance, TailOfPowerLaw) {
  const TailShape shape = {.median = 100, .upperQuartile = 200, .shortestSlow = 1250, .slow = 10, .all = 100};
  expectClose(chanceOfTail(shape), 0.028188294163416106);
  TailShape expected = shape;
  expected.slow = 4; // the mean is 5
  EXPECT_EQ(chanceOfTail(expected), 1);
  TailShape short_ = shape;
  short_.shortestSlow = 120;
  EXPECT_EQ(chanceOfTail(short_), 1);
}

// Each call that is slow by x has a chance of a half to be slow by 2 x.
TEST(Chance, Gap) {
  expectClose(chanceOfGap(10, 0, 0.5), 2 * std::pow(0.5, 10));
  expectClose(chanceOfGap(8, 2, 0.5), 2 * 56.0 / 1024);
  expectClose(chanceOfGap(5, 0, 0.25), std::pow(0.25, 5) / 0.75);
  EXPECT_EQ(chanceOfGap(5, 5, 0.5), 1); // what is expected
  EXPECT_EQ(chanceOfGap(0, 0, 0.5), 1);
  EXPECT_EQ(chanceOfGap(1, 0, 0.5), 1); // the longest call is twice as long as the next one every other time
}

// Under the law that chanceOfGap() assumes, gaps that are looked for from all slow calls have the chance that it gives.
TEST(Chance, GapsOfThatLawAreByChance) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> part(1e-9, 1);
  constexpr int kPrograms = 4000, kCalls = 200;
  int found = 0;
  for (int program = 0; program < kPrograms; ++program) {
    std::vector<double> longer;
    for (int i = 0; i < kCalls; ++i)
      longer.push_back(1 / part(random));
    std::ranges::sort(longer, std::greater());
    bool isGap = false;
    for (size_t slow = 5; slow < longer.size() / 4; ++slow)
      isGap |= longer[slow] < longer[slow - 1] / 2 && chanceOfGap(slow, 0, 0.5) < 0.1;
    found += isGap;
  }
  EXPECT_LT(found, kPrograms / 10);
  EXPECT_GT(found, kPrograms / 50); // it happens, so the bound was tested
}

TEST(CallTimes, RanksAreExactForFewCalls) {
  std::mt19937_64 random(7);
  std::vector<uint64_t> durations;
  for (int i = 0; i < 1500; ++i)
    durations.push_back(random() % 1'000'000);
  const CallTimes times = timesOf(durations);
  std::ranges::sort(durations);
  for (const size_t rank : {size_t{0}, size_t{1}, size_t{700}, size_t{1498}, size_t{1499}}) {
    EXPECT_EQ(times.at(rank), durations[rank]);
    EXPECT_EQ(times.countFrom(durations[rank]),
              static_cast<uint64_t>(durations.end() - std::ranges::lower_bound(durations, durations[rank])));
  }
  EXPECT_EQ(times.slowest(3)[2].ns, durations[1497]);
  EXPECT_EQ(times.choose(durations[10], durations[19], 1000).size(), 10U);
}

TEST(CallTimes, RanksOfManyCallsAreClose) {
  std::mt19937_64 random(7);
  std::vector<uint64_t> durations;
  for (int i = 0; i < 300'000; ++i)
    durations.push_back(200 + random() % 100'000);
  const CallTimes times = timesOf(durations);
  std::ranges::sort(durations);
  for (const size_t rank : {size_t{0}, size_t{30'000}, size_t{150'000}, size_t{297'000}})
    EXPECT_NEAR(static_cast<double>(times.at(rank)) / static_cast<double>(durations[rank]), 1, 1.0 / 256);
  EXPECT_EQ(times.countFrom(0), 300'000U);
  const size_t chosen = times.choose(0, ~uint64_t(0), 4000).size();
  EXPECT_GT(chosen, 3500U);
  EXPECT_LT(chosen, 4500U);
}

// All calls are equally frequent in a bin, so those that were kept tell more than the bin's border.
TEST(CallTimes, KeptCallsStandForTheOthersOfTheirBin) {
  std::mt19937_64 random(5);
  CallTimes times;
  uint64_t sum = 0;
  constexpr uint64_t kCalls = 400'000, kFrom = 1 << 20, kWidth = 1 << 14; // four bins
  for (uint64_t i = 0; i < kCalls; ++i) {
    times.add(kFrom + i * 7919 % kWidth, random() | 1, kNothing);
    sum += kFrom + i * 7919 % kWidth;
  }
  EXPECT_EQ(times.totalNs(), sum);
  for (const uint64_t eighth : {1, 3, 5, 7})
    EXPECT_NEAR(static_cast<double>(times.at(kCalls * eighth / 8)), kFrom + kWidth * static_cast<double>(eighth) / 8,
                kWidth / 32.0);
  uint64_t calls = 0;
  for (const auto &[ns, count] : times.longest(kCalls))
    calls += count;
  EXPECT_EQ(calls, kCalls);
}

TEST(CallTimes, OrderZeroIsKeptAndChosen) {
  std::mt19937_64 random(9);
  CallTimes times;
  for (uint64_t i = 0; i < 100'000; ++i)
    times.add(1000, i == 60'000 ? 0 : random() | 1, [i](TimedCall call) {
      call.beginSeq = i;
      return call;
    });
  const std::vector<TimedCall> chosen = times.choose(900, ~uint64_t(0), 1);
  EXPECT_TRUE(std::ranges::any_of(chosen, [](const TimedCall &call) { return call.beginSeq == 60'000; }));
  EXPECT_TRUE(times.choose(1001, ~uint64_t(0), 1).empty());
}

// However calls are spread over several lists, the same ones are kept.
TEST(CallTimes, MergesToTheSame) {
  std::mt19937_64 random(3);
  CallTimes all, first, second;
  for (uint64_t i = 0; i < 20'000; ++i) {
    const uint64_t ns = random() % 3000, order = random();
    all.add(ns, order, kNothing);
    (random() % 3 ? first : second).add(ns, order, kNothing);
  }
  first.merge(second);
  EXPECT_EQ(first.count(), all.count());
  EXPECT_EQ(first.at(12'345), all.at(12'345));
  const auto orders = [](const CallTimes &times) {
    std::vector<uint64_t> list;
    for (const TimedCall &call : times.choose(0, ~uint64_t(0), 1'000'000))
      list.push_back(call.order);
    std::ranges::sort(list);
    return list;
  };
  EXPECT_EQ(orders(first), orders(all));
}

TEST(SlowCalls, SlowestShareOrThoseAboveAGap) {
  std::vector<uint64_t> durations;
  for (uint64_t i = 0; i < 1000; ++i)
    durations.push_back(1000 + i);
  EXPECT_EQ(limitsOf(timesOf(durations), {}, 0).slow, 10U);
  for (uint64_t i = 0; i < 4; ++i)
    durations[i * 100] = 50'000 + i;
  const SlowLimits limits = limitsOf(timesOf(durations), {}, 0);
  EXPECT_EQ(limits.slow, 4U);
  EXPECT_EQ(limits.slowFromNs, 50'000U);
  EXPECT_GE(limits.ordinary, 500U);
  EXPECT_EQ(limitsOf(timesOf(durations), *SlowestOf::parse("25"), 0).slow, 25U);
  EXPECT_EQ(limitsOf(timesOf(durations), *SlowestOf::parse(">5us"), 4).slow, 4U);
}

// If 3 % are apart from the others, and the slowest 1 % are some of them, all are slow.
TEST(SlowCalls, WholeGroup) {
  std::mt19937_64 random(5);
  std::vector<uint64_t> durations;
  for (int i = 0; i < 10'000; ++i)
    durations.push_back(i < 300 ? 50'000 + random() % 100'000 : 1000 + random() % 1000);
  EXPECT_EQ(limitsOf(timesOf(durations), {}, 0).slow, 300U);
}

// A single very long call among many does not hide those that make up the extra time.
TEST(SlowCalls, RaggedEndIsNoGap) {
  std::mt19937_64 random(5);
  std::vector<uint64_t> durations;
  for (int i = 0; i < 10'000; ++i)
    durations.push_back(1000 + random() % 1000);
  for (size_t i = 0; i < 50; ++i)
    durations[i] = 100'000 + random() % 50'000;
  durations[60] = 400'000;
  EXPECT_EQ(limitsOf(timesOf(durations), {}, 0).slow, 51U);
}
