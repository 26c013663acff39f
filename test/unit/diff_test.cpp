// Which changes diff calls certain or likely: exact test values, planted changes among noise, quiet without one.
#include "analysis/diff/diff_judge.h"
#include "analysis/diff/spread_test.h"
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
    if (row.isShown())
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

// Values from the tables of Student's t.
TEST(Diff, ChanceOfT) {
  EXPECT_NEAR(chanceOfT(12.706, 1), 0.05, 1e-5);
  EXPECT_NEAR(chanceOfT(-2.776, 4), 0.05, 5e-5);
  EXPECT_NEAR(chanceOfT(3.646, 30), 0.001, 1e-6);
  EXPECT_NEAR(chanceOfT(6.869, 9), 0.0000731, 1e-6);
  EXPECT_NEAR(chanceOfT(1.96, 100000), 0.05, 1e-4);
  EXPECT_DOUBLE_EQ(chanceOfT(0, 5), 1);
}

// One value among ten is apart; how far, and what the others tell, decides. A common speed is taken out.
TEST(Diff, TestSpread) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<RunLogs> values(10);
  std::vector<double> speeds(6);
  for (double &speed : speeds)
    speed = 0.5 * normal(random);
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t run = 0; run < 6; ++run)
      values[i].logs.push_back(double(i) + speeds[run] + 0.02 * normal(random) + (i == 4 && run >= 3 ? 0.2 : 0));
  const std::vector<SpreadTest> tests = testSpread(values, 3, 3);
  for (size_t i = 0; i < tests.size(); ++i)
    EXPECT_EQ(tests[i].p < 1e-5, i == 4) << i;
  EXPECT_NEAR(tests[4].change, 0.2, 0.05);
  values[4].leastVariance = 0.04;
  EXPECT_GT(testSpread(values, 3, 3)[4].p, 0.05);
  EXPECT_EQ(testSpread(std::vector<RunLogs>{{{1, 2}}}, 1, 1)[0].p, 1); // nothing to go by
  EXPECT_TRUE(testSpread({}, 3, 3).empty());
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
    if (diff.rows[0].isShown() && diff.rows[0].function->name == "f7") {
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
  EXPECT_LE(others, std::max<uint64_t>(kSeeds / 10, 1)); // with sanitizers there are few seeds
  EXPECT_GE(quiet, kSeeds * 92 / 100);
}

// With few runs, only changes beyond doubt are named.
TEST(Diff, FewRuns) {
  for (const int runs : {1, 2, 3})
    EXPECT_EQ(namedBy(compare(5, runs == 1 ? 2.5 : 1.5, runs)), std::vector<std::string>{"f7"}) << runs;
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

// docs/explanation/noise.md says how often something is named without a change; checked here with noise of all kinds.
TEST(Diff, SeldomNamesNoise) {
  const int kTimes = test::casesOf(15, 2);
  const std::pair<size_t, size_t> sizes[] = {{1, 1}, {1, 3}, {2, 2}, {3, 2}, {3, 3}, {4, 4}, {6, 6}};
  int all = 0, named = 0, certain = 0;
  for (const auto &[a, b] : sizes)
    for (const Noise noise : kNoises) {
      std::mt19937_64 random(100 * a + b);
      for (int i = 0; i < kTimes; ++i, ++all) {
        const Diff diff = compareLarge(random, noise, a, b);
        named += !namedBy(diff).empty();
        certain += std::ranges::count(diff.rows, Verdict::Certain, &DiffRow::verdict) > 0;
      }
    }
  EXPECT_LE(named, all * 5 / 100);
  EXPECT_EQ(certain, 0);
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

namespace {

// Runs of ten functions, of which f7 takes so many milliseconds in each, and is called so often.
std::vector<Report> runsOf(std::initializer_list<double> times, std::initializer_list<uint64_t> calls = {}) {
  std::vector<Report> runs;
  for (size_t at = 0; at < times.size(); ++at) {
    Report &report = runs.emplace_back();
    for (uint32_t f = 0; f < 10; ++f) {
      report.functions.push_back({.index = f, .id = f, .name = "f" + std::to_string(f)});
      ReportRow row;
      row.function = &report.functions.back();
      row.figures.calls = f == 7 && calls.size() > 0 ? calls.begin()[at] : 1000;
      row.figures.selfNs = row.figures.totalNs = f == 7 ? uint64_t(times.begin()[at] * 1e6) : 1'000'000;
      report.rows.push_back(row);
    }
  }
  return runs;
}
const DiffRow &f7(const Diff &diff) {
  return *std::ranges::find(diff.rows, "f7", [](const DiffRow &row) { return row.function->name; });
}

} // namespace

// What differs in every run by no more than chance may do is not named, but listed; a rule about it can't be decided.
TEST(Diff, DiffersInEveryRun) {
  const auto verdictOf = [](const Diff &diff, double change) {
    const DiffRow *rows[] = {&f7(diff)};
    return judgeRule(diff, rows, DiffValue::Self, true, change);
  };
  const Diff four = makeDiff(runsOf({10, 11, 12, 13}), runsOf({13.1, 13.5, 14, 16}));
  EXPECT_TRUE(namedBy(four).empty());
  EXPECT_TRUE(f7(four).isApart);
  EXPECT_EQ(std::ranges::count(four.rows, true, &DiffRow::isApart), 1);
  EXPECT_EQ(verdictOf(four, 0.05).undecided.size(), 1u);
  EXPECT_TRUE(verdictOf(four, 0.6).undecided.empty()); // it grew by less than that
  EXPECT_EQ(verdictOf(four, -0.05).broken.size(), 1u); // and should have shrunk
  const Diff plain = makeDiff(runsOf({10, 11, 12, 13}), runsOf({500, 510, 490, 520}));
  EXPECT_EQ(namedBy(plain), std::vector<std::string>{"f7"});
  EXPECT_FALSE(f7(plain).isApart);
  EXPECT_EQ(verdictOf(plain, 0.05).broken.size(), 1u);
  const Diff noise = makeDiff(runsOf({10, 14, 12, 16, 18, 20}), runsOf({11, 13, 15, 17, 19, 21}));
  EXPECT_TRUE(verdictOf(noise, 0.01).broken.empty() && verdictOf(noise, 0.01).undecided.empty());
  EXPECT_FALSE(f7(noise).isApart);
}

// Runs that agree in how often they call a function, and how far that goes.
TEST(Diff, Calls) {
  const auto verdict = [](std::initializer_list<uint64_t> a, std::initializer_list<uint64_t> b) {
    const std::initializer_list<double> times[] = {{}, {1}, {1, 1}, {1, 1, 1}};
    const Diff diff = makeDiff(runsOf(times[a.size()], a), runsOf(times[b.size()], b));
    return f7(diff)[DiffValue::Calls].verdict;
  };
  EXPECT_EQ(verdict({6000, 6000}, {0, 0}), Verdict::Certain);
  EXPECT_EQ(verdict({1000, 1000, 1000}, {1010, 1010, 1010}), Verdict::Certain);
  EXPECT_EQ(verdict({1000, 1000, 1000}, {1001, 1001, 1001}), Verdict::Likely);
  EXPECT_EQ(verdict({1, 1, 1}, {0, 0, 0}), Verdict::Likely);
  EXPECT_EQ(verdict({1, 1}, {0, 0}), Verdict::NotShown);
  EXPECT_EQ(verdict({1000, 1000, 1001}, {1002, 1002, 1002}), Verdict::NotShown);
  EXPECT_EQ(verdict({1000, 1000, 1001}, {4000, 4100, 4200}), Verdict::Likely);
  EXPECT_EQ(verdict({100}, {0}), Verdict::Certain);
  EXPECT_EQ(verdict({12}, {0}), Verdict::Likely);
  EXPECT_EQ(verdict({5}, {0}), Verdict::NotShown);
  EXPECT_EQ(verdict({1000}, {9000}), Verdict::Likely);
  EXPECT_EQ(verdict({1000}, {2000}), Verdict::NotShown); // a background thread, perhaps
}

// Times are certain from six runs a side on, and from three if the function is on-CPU for twice as long.
TEST(Diff, Certain) {
  EXPECT_EQ(f7(makeDiff(runsOf({10, 10.1, 10.2}), runsOf({30, 30.1, 30.2}))).verdict, Verdict::Likely);
  EXPECT_EQ(f7(makeDiff(runsOf({10, 10.1, 10.2, 10.1, 10, 10.1}), runsOf({13, 13.1, 13.2, 13, 13, 13.2}))).verdict,
            Verdict::Certain);
  const auto onCpu = [](std::vector<Report> runs) {
    for (Report &run : runs)
      for (ReportRow &row : run.rows)
        row.knowsSched = true;
    return runs;
  };
  EXPECT_EQ(f7(makeDiff(onCpu(runsOf({10, 10.1, 10.2})), onCpu(runsOf({30, 30.1, 30.2})))).verdict, Verdict::Certain);
  EXPECT_EQ(f7(makeDiff(onCpu(runsOf({10, 10.1, 10.2})), onCpu(runsOf({13, 13.1, 13.2})))).verdict, Verdict::Likely);
}

// What disturbs the self times of a few calls, like time that the host of a virtual machine took, hides a fifth in
// their sum, but not in their median. That names the function, also if most of its time is spent in others.
TEST(Diff, SelfMedian) {
  const auto withMedians = [](std::vector<Report> runs, double selfNs) {
    for (size_t run = 0; run < runs.size(); ++run) {
      runs[run].hasSelfDurations = true;
      for (ReportRow &row : runs[run].rows) {
        const bool isSeven = row.function->name == "f7";
        row.figures.totalNs = 5 * row.figures.selfNs;
        for (int call = 0; call < 100; ++call) {
          const uint64_t self =
              static_cast<uint64_t>((isSeven ? selfNs : 1000) * (1 + 0.002 * static_cast<double>(run)));
          const uint64_t duration = 5000 + 100 * static_cast<uint64_t>(call % 7);
          row.selves.add(self, duration, row.figures.durations);
          row.figures.durations.add(duration);
        }
      }
    }
    return runs;
  };
  const Diff diff = makeDiff(withMedians(runsOf({10, 14, 11}), 10000), withMedians(runsOf({12, 13, 16}), 12000));
  EXPECT_EQ(namedBy(diff), std::vector<std::string>{"f7"});
  EXPECT_EQ(f7(diff).changed, DiffValue::SelfP50);
  EXPECT_NEAR(f7(diff)[DiffValue::SelfP50].change(), 0.2, 0.02);
  EXPECT_TRUE(namedBy(makeDiff(runsOf({10, 14, 11}), runsOf({12, 13, 16}))).empty());
  EXPECT_TRUE(
      namedBy(makeDiff(withMedians(runsOf({10, 14, 11}), 10000), withMedians(runsOf({12, 13, 16}), 10000))).empty());
  // Calls of 180 ns differ by 8 ns because of the clock and the hooks alone.
  EXPECT_TRUE(
      namedBy(makeDiff(withMedians(runsOf({10, 14, 11}), 180), withMedians(runsOf({12, 13, 16}), 188))).empty());
}

// Some runs know when threads were preempted and some don't, so that their medians can't be compared.
TEST(Diff, SelfMedianOfLikeRuns) {
  std::vector<Report> a = runsOf({10, 10.1, 10.2}), b = runsOf({10, 10.1, 10.2});
  for (std::vector<Report> *runs : {&a, &b})
    for (Report &run : *runs)
      run.hasSelfDurations = true;
  EXPECT_TRUE(f7(makeDiff(a, b)).knowsSelfP50);
  a[0].rows[7].knowsSched = true;
  EXPECT_FALSE(f7(makeDiff(a, b)).knowsSelfP50);
  for (std::vector<Report> *runs : {&a, &b})
    for (Report &run : *runs)
      run.rows[7].knowsSched = true;
  EXPECT_TRUE(f7(makeDiff(a, b)).knowsSelfP50);
  b[2].hasSelfDurations = false;
  EXPECT_FALSE(f7(makeDiff(a, b)).knowsSelfP50);
}

// Self time leaves out preemption, so what another program took away is no change.
TEST(Diff, WithoutPreemption) {
  std::vector<Report> a = runsOf({10, 10.1, 10.2}), b = runsOf({30, 40, 50});
  for (std::vector<Report> *runs : {&a, &b})
    for (Report &run : *runs)
      for (ReportRow &row : run.rows) {
        row.knowsSched = true;
        if (row.figures.selfNs > 20'000'000)
          row.figures.selfOff.preemptedNs = row.figures.selfNs - 10'100'000;
      }
  EXPECT_TRUE(namedBy(makeDiff(a, b)).empty());
  a[0].rows[7].knowsSched = false; // not known in one run: nobody can tell
  EXPECT_EQ(f7(makeDiff(a, b))[DiffValue::Self].meanB(), 40e6);
}
