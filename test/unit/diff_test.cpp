// What diff takes for more than noise: the test's exact values, a planted change among noise, quiet without one.
#include "analysis/diff.h"
#include "mixed_source.h"

#include <cmath>
#include <random>

using namespace ada;
using namespace ada::analysis;

namespace {

// A run of 40 functions, each called 400 times for some microseconds. Noise: the run as a whole (the machine), each
// function in it (layout), and each call, with a long tail. Function 7 takes `factor` as long. In `busy` of the runs'
// calls the thread does not run for four milliseconds.
Report makeRun(std::mt19937_64 &random, double factor, double busy = 0) {
  std::normal_distribution<double> run(0, 0.02), layout(0, 0.003), call(0, 0.1);
  std::uniform_real_distribution<double> chance(0, 1);
  const double machine = std::exp(run(random));
  Report report;
  for (std::uint32_t f = 0; f < 40; ++f) {
    report.functions.push_back({.index = f, .id = f, .name = "f" + std::to_string(f)});
    FunctionStatistics figures;
    const double mean = (1000.0 + 500 * f) * machine * std::exp(layout(random)) * (f == 7 ? factor : 1);
    for (int i = 0; i < 400; ++i) {
      double duration = mean * std::exp(call(random)) * (chance(random) < 0.002 ? 3 : 1);
      if (busy > 0 && chance(random) < busy)
        duration += 4e6;
      Span span;
      span.endNs = static_cast<std::uint64_t>(duration);
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

Diff compare(std::uint64_t seed, double factor, int runs, double busy = 0) {
  std::mt19937_64 random(seed);
  std::vector<Report> a, b;
  for (int i = 0; i < runs; ++i) {
    a.push_back(makeRun(random, 1, busy));
    b.push_back(makeRun(random, factor, busy));
  }
  return makeDiff(a, b);
}

} // namespace

// Values of the tables of Mann and Whitney's U, and with ties by counting all choices.
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

// Where runs as a whole differ by 2 %, and functions besides by 0.8 %. Chance may hide it or add a name, but rarely.
TEST(Diff, FindsThreePerCentInTenRuns) {
  int found = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Diff diff = compare(seed, 1.03, 10);
    for (const std::string &name : namedBy(diff))
      ++(name == "f7" ? found : others);
    if (diff.rows[0].isSignificant() && diff.rows[0].function->name == "f7") {
      EXPECT_NEAR(diff.rows[0][DiffValue::Self].change(), 0.03, 0.03) << "seed " << seed;
    }
  }
  EXPECT_GE(found, 38);
  EXPECT_LE(others, 2);
}

TEST(Diff, QuietWithoutAChange) {
  for (const int runs : {1, 3, 10}) {
    int named = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed)
      named += !namedBy(compare(seed, 1, runs)).empty();
    EXPECT_LE(named, 2) << runs;
  }
}

// Where the machine is busy, self times are mostly times in which threads did not run: the median tells.
TEST(Diff, BusyMachine) {
  int found = 0, others = 0, quiet = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const std::string &name : namedBy(compare(seed, 1.05, 10, 0.003)))
      ++(name == "f7" ? found : others);
    quiet += namedBy(compare(seed, 1, 10, 0.003)).empty();
  }
  EXPECT_GE(found, 36);
  EXPECT_LE(others, 4);
  EXPECT_GE(quiet, 37);
}

// Few runs: only what nobody would doubt.
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
