// Self times of calls: those of functions that call others are kept apart, and merged whatever order they come in.
#include "analysis/report/report.h"
#include "mixed_source.h"

#include <algorithm>

using namespace ada;
using namespace ada::analysis;

namespace {

// The calls of one function in one part of a trace: their durations, and what is kept of their self times.
struct Calls {
  Distribution durations;
  SelfDurations selves;

  void add(uint64_t selfNs, uint64_t durationNs) {
    selves.add(selfNs, durationNs, durations);
    durations.add(durationNs);
  }
  void merge(const Calls &other) {
    selves.merge(other.selves, durations, other.durations);
    durations.merge(other.durations);
  }
  uint64_t selfAt(double percent) const { return selves.in(durations).percentile(percent); }
};

Calls callsOf(std::initializer_list<std::pair<uint64_t, uint64_t>> list) {
  Calls calls;
  for (const auto &[self, duration] : list)
    calls.add(self, duration);
  return calls;
}

uint64_t selfP50(const std::string &trace, const std::string &function) {
  const auto source = threadwise(trace);
  TraceTable table = tableOf(*source);
  const auto report = makeReport({*source, table, {0, 1}}, {.selfDurations = true});
  EXPECT_TRUE(report);
  EXPECT_TRUE(report->hasSelfDurations);
  const auto row =
      std::ranges::find(report->rows, function, [](const ReportRow &one) { return one.function->displayName; });
  return row->selves.in(row->figures.durations).percentile(50);
}

} // namespace

// Until a call calls something, the durations are the self times, and nothing is kept beside them.
TEST(SelfDurations, KeptOnceTheyDiffer) {
  Calls calls = callsOf({{5, 5}, {7, 7}});
  EXPECT_EQ(&calls.selves.in(calls.durations), &calls.durations);
  calls.add(6, 100);
  EXPECT_NE(&calls.selves.in(calls.durations), &calls.durations);
  calls.add(8, 8);
  EXPECT_EQ(calls.selves.in(calls.durations).count(), 4u);
  EXPECT_EQ(calls.selfAt(0), 5u);
  EXPECT_EQ(calls.selfAt(50), 6u);
  EXPECT_EQ(calls.selfAt(100), 8u);
}

TEST(SelfDurations, Merged) {
  const Calls leaves = callsOf({{5, 5}, {7, 7}}), others = callsOf({{6, 100}, {8, 200}});
  for (const auto &[first, second] : {std::pair(leaves, others), std::pair(others, leaves)}) {
    Calls both = first;
    both.merge(second);
    EXPECT_EQ(both.selves.in(both.durations).count(), 4u);
    EXPECT_EQ(both.selfAt(25), 5u);
    EXPECT_EQ(both.selfAt(50), 6u);
    EXPECT_EQ(both.selfAt(75), 7u);
    EXPECT_EQ(both.selfAt(100), 8u);
  }
  Calls same = leaves;
  same.merge(leaves);
  EXPECT_EQ(&same.selves.in(same.durations), &same.durations);
}

// A calls B for different lengths: 10, 20 and 30 ns of its calls are its own, whatever B takes. In one of them it is
// left by an exception, and its last call does not end.
TEST(SelfDurations, OfAReport) {
  const std::string trace = "0 A0 | 0 B4 | 0 b104 | 0 a110 | 0 A200 | 0 B210 | 0 b215 | 0 !a225 | 0 A300 | 0 a330 | "
                            "1 B300 | 1 b800 | 0 A900 | 0 B901 | 0 b902";
  EXPECT_EQ(selfP50(trace, "A"), 20u);
  EXPECT_EQ(selfP50(trace, "B"), 5u);
}
