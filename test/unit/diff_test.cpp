// Which changes diff treats as more than noise: exact test values, a planted change among noise, quiet without one.
#include "analysis/diff/diff_judge.h"
#include "mixed_source.h"
#include "thorough.h"

#include <cmath>
#include <random>

using namespace ada;
using namespace ada::analysis;

namespace {

// A run of 40 functions, each called 100 times for some microseconds. Noise varies the run as a whole (the machine),
// each function in it (layout), and each call, with a long tail. Function 7 takes `factor` times as long. In the
// fraction `busy` of the runs' calls the thread does not run for a millisecond.
Report makeRun(std::mt19937_64 &random, double factor, double busy = 0) {
  std::normal_distribution<double> run(0, 0.02), layout(0, 0.003), call(0, 0.05);
  std::uniform_real_distribution<double> chance(0, 1);
  const double machine = std::exp(run(random));
  Report report;
  for (uint32_t f = 0; f < 40; ++f) {
    report.functions.push_back({.index = f, .id = f, .name = "f" + std::to_string(f)});
    FunctionStatistics figures;
    const double mean = (1000.0 + 500 * f) * machine * std::exp(layout(random)) * (f == 7 ? factor : 1);
    for (int i = 0; i < 100; ++i) {
      double duration = mean * std::exp(call(random)) * (chance(random) < 0.008 ? 1.5 : 1);
      if (busy > 0 && chance(random) < busy)
        duration += 1e6;
      Span span;
      span.endNs = static_cast<uint64_t>(duration);
      span.how = SpanEnd::Return;
      figures.add(span);
    }
    ReportRow row;
    row.function = &report.functions.back();
    row.figures = figures;
    report.rows.push_back(row);
  }
  return report;
}

std::vector<std::string> namedBy(const Diff &diff) {
  std::vector<std::string> names;
  for (const DiffRow &row : diff.rows)
    if (row.isSignificant())
      names.push_back(row.function->name);
  return names;
}

Diff compare(uint64_t seed, double factor, int runs, double busy = 0) {
  std::mt19937_64 random(seed);
  std::vector<Report> a, b;
  for (int i = 0; i < runs; ++i) {
    a.push_back(makeRun(random, 1, busy));
    b.push_back(makeRun(random, factor, busy));
  }
  return makeDiff(a, b);
}

enum class Noise { Quiet, Rough, Busy, Random };

// A comparison of runs made in turn, of 200 functions with times from 20 us to 20 ms. The speed of runs differs by 2 %
// (Quiet) or by 5 %, and then also drifts by 10 %. Functions differ by 0.3 %, or each by a different amount (2 % for
// half of them, 10 % and more for some), with one wild run in ten. Busy: now and then a thread is off-CPU for 8 ms on
// average, up to twice per run and function. Random: a third of the functions are called by chance, some less than once
// per run. Function 7 takes `factor` times as long, and differs by 30 % from run to run.
Diff compareLarge(std::mt19937_64 &random, Noise noise, size_t runsA, size_t runsB, double factor = 1) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<Report> sides[2];
  const double drift = noise == Noise::Quiet ? 0 : 0.1 * normal(random);
  struct Kind {
    double time, spread, preempted, calls;
  };
  std::vector<Kind> kinds;
  for (int f = 0; f < 200; ++f) {
    const double share = std::exp(-6.9 * chance(random));
    kinds.push_back({20e6 * share, 0.01 * std::exp(1.2 * std::abs(normal(random))),
                     noise == Noise::Busy ? 2 * share : 0,
                     noise == Noise::Random && f % 3 == 0 ? std::exp(8 * chance(random) - 1) : 0});
  }
  kinds[7] = {10e6, 0.3, 0, 0};
  for (size_t at = 0; sides[0].size() < runsA || sides[1].size() < runsB; ++at) {
    if (sides[at % 2].size() == (at % 2 ? runsB : runsA))
      continue;
    const double speed = (noise == Noise::Quiet ? 0.02 : 0.05) * normal(random) +
                         drift * static_cast<double>(at) / static_cast<double>(runsA + runsB);
    Report report;
    for (uint32_t f = 0; f < kinds.size(); ++f) {
      const Kind &kind = kinds[f];
      const double spread = noise == Noise::Quiet && f != 7 ? 0.003 : kind.spread;
      const bool isWild = noise == Noise::Rough && chance(random) < 0.1;
      double time = kind.time * std::exp(speed + spread * (isWild ? 4 : 1) * normal(random));
      uint64_t calls = 1000;
      if (kind.calls > 0) {
        calls = std::poisson_distribution<uint64_t>(kind.calls)(random);
        time *= static_cast<double>(calls) / kind.calls;
      }
      if (kind.preempted > 0)
        for (int n = std::poisson_distribution<int>(kind.preempted)(random); n > 0; --n)
          time += std::exponential_distribution<double>(1 / 8e6)(random);
      if (f == 7 && at % 2)
        time *= factor;
      report.functions.push_back({.index = f, .id = f, .name = "f" + std::to_string(f)});
      ReportRow row;
      row.function = &report.functions.back();
      row.figures.calls = calls;
      row.figures.selfNs = row.figures.totalNs = static_cast<uint64_t>(time);
      if (calls > 0)
        row.figures.durations.add(static_cast<uint64_t>(time / static_cast<double>(calls)));
      report.rows.push_back(row);
    }
    sides[at % 2].push_back(std::move(report));
  }
  return makeDiff(sides[0], sides[1]);
}

constexpr Noise kNoises[] = {Noise::Quiet, Noise::Rough, Noise::Busy, Noise::Random};

} // namespace

// Values from the tables of Mann and Whitney's U; with ties, from counting all choices.
TEST(Diff, RankSumTest) {
  const auto test = [](std::vector<double> a, std::vector<double> b) { return rankSumTest(a, b); };
  EXPECT_DOUBLE_EQ(test({1, 2, 3, 4}, {5, 6, 7, 8}), 2.0 / 70);
  EXPECT_DOUBLE_EQ(test({1, 2, 3, 5}, {4, 6, 7, 8}), 4.0 / 70);
  EXPECT_DOUBLE_EQ(test({1, 8}, {2, 3, 4, 5, 6, 7}), 1);
  EXPECT_DOUBLE_EQ(test({1, 1, 1}, {1, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(test({1, 1}, {1, 2}), 1);
  std::vector<double> low, high;
  for (int i = 0; i < 30; ++i) {
    low.push_back(i);
    high.push_back(i + 0.5);
  }
  EXPECT_GT(rankSumTest(low, high), 0.5);
  for (double &value : high)
    value += 100;
  EXPECT_LT(rankSumTest(low, high), 1e-9);
}

// Runs as a whole differ by 2 %, and functions by another 0.8 %. Chance may hide the change or add a name, but rarely.
// The number of comparisons of each kind; some of them may come out wrong.
const uint64_t kSeeds = test::casesOf(40u, 4u);

TEST(Diff, FindsThreePerCentInTenRuns) {
  uint64_t found = 0, others = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Diff diff = compare(seed, 1.03, 10);
    for (const std::string &name : namedBy(diff))
      ++(name == "f7" ? found : others);
    if (diff.rows[0].isSignificant() && diff.rows[0].function->name == "f7") {
      EXPECT_NEAR(diff.rows[0][DiffValue::Self].change(), 0.03, 0.03) << "seed " << seed;
    }
  }
  EXPECT_GE(found, kSeeds * 95 / 100);
  EXPECT_LE(others, kSeeds / 20);
}

TEST(Diff, QuietWithoutAChange) {
  for (const int runs : {1, 3, 10}) {
    uint64_t named = 0;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed)
      named += !namedBy(compare(seed, 1, runs)).empty();
    EXPECT_LE(named, kSeeds / 20) << runs;
  }
}

// On a busy machine, self times consist mostly of off-CPU time; the median still finds the change.
TEST(Diff, BusyMachine) {
  uint64_t found = 0, others = 0, quiet = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const std::string &name : namedBy(compare(seed, 1.05, 10, 0.012)))
      ++(name == "f7" ? found : others);
    quiet += namedBy(compare(seed, 1, 10, 0.012)).empty();
  }
  EXPECT_GE(found, kSeeds * 9 / 10);
  EXPECT_LE(others, kSeeds / 10);
  EXPECT_GE(quiet, kSeeds * 92 / 100);
}

// With few runs, only changes beyond doubt are named.
TEST(Diff, FewRuns) {
  for (const int runs : {1, 2, 3})
    EXPECT_EQ(namedBy(compare(5, 1.5, runs)), std::vector<std::string>{"f7"}) << runs;
  EXPECT_EQ(namedBy(compare(5, 1.03, 1)), std::vector<std::string>());
}

// Functions that only one side has, and calls that changed.
TEST(Diff, NewAndGone) {
  std::mt19937_64 random(3);
  std::vector<Report> a, b;
  a.push_back(makeRun(random, 1));
  b.push_back(makeRun(random, 1));
  a[0].functions[3].name = "gone";
  b[0].rows[4].figures.calls = 800;
  const Diff diff = makeDiff(a, b);
  ASSERT_EQ(diff.functions.size(), 41u);
  std::vector<std::string> names = namedBy(diff);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"f3", "f4", "gone"}));
  for (const DiffRow &row : diff.rows) {
    if (row.function->name == "f3") {
      EXPECT_TRUE(std::isinf(row[DiffValue::Calls].change()));
    }
    if (row.function->name == "gone") {
      EXPECT_EQ(row[DiffValue::Total].change(), -1);
    }
  }
}

// diff.h states how often something is named without a change; checked here with noise of all kinds.
TEST(Diff, SeldomNamesNoise) {
  const int kTimes = test::casesOf(15, 2);
  const std::pair<size_t, size_t> sizes[] = {{2, 2}, {3, 2}, {3, 3}, {4, 4}, {5, 5}};
  int all = 0, named = 0;
  for (const auto &[a, b] : sizes)
    for (const Noise noise : kNoises) {
      std::mt19937_64 random(100 * a + b);
      for (int i = 0; i < kTimes; ++i, ++all)
        named += !namedBy(compareLarge(random, noise, a, b)).empty();
    }
  EXPECT_LE(named, all * 3 / 100);
}

// A function that takes fifty times as long and differs by 30 % from run to run is beyond doubt, from two runs on.
TEST(Diff, NamesWhatIsPlain) {
  const int kTimes = test::casesOf(10, 2);
  const std::pair<size_t, size_t> sizes[] = {{2, 2}, {3, 2}, {3, 3}, {4, 4}, {5, 3}, {5, 5}, {6, 6}, {7, 7}};
  for (size_t size = 0; size < std::size(sizes); size += test::stride(3))
    for (const Noise noise : {Noise::Quiet, Noise::Rough}) {
      const auto &[a, b] = sizes[size];
      std::mt19937_64 random(100 * a + b);
      int found = 0;
      for (int i = 0; i < kTimes; ++i)
        found += std::ranges::count(namedBy(compareLarge(random, noise, a, b, 50)), "f7");
      EXPECT_GE(found, kTimes * 6 / 10) << a << " against " << b << ", noise " << int(noise);
    }
}

// If the sides differ by no more than the runs of one side, more runs are needed, and the comparison says how many.
// Rules are judged one by one, so they need fewer.
TEST(Diff, SaysHowManyRunsAreNeeded) {
  const auto reports = [](std::initializer_list<double> times) {
    std::vector<Report> runs;
    for (const double time : times) {
      Report &report = runs.emplace_back();
      for (uint32_t f = 0; f < 10; ++f) {
        report.functions.push_back({.index = f, .id = f, .name = "f" + std::to_string(f)});
        ReportRow row;
        row.function = &report.functions.back();
        row.figures.calls = 1000;
        row.figures.selfNs = row.figures.totalNs = f == 7 ? uint64_t(time * 1e6) : 1'000'000;
        report.rows.push_back(row);
      }
    }
    return runs;
  };
  const Diff four = makeDiff(reports({10, 11, 12, 13}), reports({14, 15, 16, 17}));
  EXPECT_TRUE(namedBy(four).empty());
  EXPECT_EQ(four.undecided, 1u);
  EXPECT_EQ(four.runsNeeded, 5u);
  const auto verdictOf = [](const Diff &diff, double change) {
    std::vector<const DiffRow *> rows;
    for (const DiffRow &row : diff.rows)
      if (row.function->name == "f7")
        rows.push_back(&row);
    return judgeRule(diff, rows, DiffValue::Self, true, change);
  };
  EXPECT_EQ(verdictOf(four, 0.05).undecided.size(), 1u);
  EXPECT_EQ(verdictOf(four, 0.05).runsNeeded, 5u);
  EXPECT_TRUE(verdictOf(four, 0.6).undecided.empty()); // it grew by less than that
  EXPECT_EQ(verdictOf(four, -0.05).broken.size(), 1u); // and should have shrunk
  const Diff plain = makeDiff(reports({10, 11, 12, 13}), reports({500, 510, 490, 520}));
  EXPECT_EQ(namedBy(plain), std::vector<std::string>{"f7"});
  EXPECT_EQ(plain.undecided, 0u);
  EXPECT_EQ(verdictOf(plain, 0.05).broken.size(), 1u);
  const Diff noise = makeDiff(reports({10, 14, 12, 16, 18}), reports({11, 13, 15, 17, 19}));
  EXPECT_TRUE(verdictOf(noise, 0.01).broken.empty() && verdictOf(noise, 0.01).undecided.empty());
}
