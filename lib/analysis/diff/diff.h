// Compares two sides of one or several runs each: what changed per function, and which changes are more than noise.
//
// If each side has two runs or more, there are two tests, and passing either is enough.
//
// Ranks, if there are enough runs (five per side, say): an exact permutation test of the rank sum (Mann-Whitney; ties
// get their mean rank) gives the probability that chance alone separates the sides this far. With eight functions or
// more the test is done twice: with the values as they are, and with each run's speed, which the median function shows,
// taken out. The smaller probability is then doubled. Calls and self time of all functions that take at least
// kLeastShare of the time are tested together, at a false discovery rate of kRate (Benjamini-Hochberg): without any
// real change, one comparison in fifty names something.
//
// Plain separation (separation.h), with two runs or more per side: the two sides of a value do not overlap, and the gap
// between them, relative to the value's spread, is larger than any other way of dealing the runs to two sides gives for
// any value. Again with the values as they are and with speeds taken out. Without any real change it names something in
// one comparison in fifty if there are 50 ways to deal the runs (five per side), and in 3 of 100 with fewer (measured
// in diff_test.cpp; the exact bound is one in the number of ways: 35 for four runs per side, 10 for three, 3 for two).
//
// Calls and self time name a function. Total, p50 and p99 are tested in the same way, but they follow from what other
// functions do, and name no function. A change of less than kLeastChange is never named.
//
// With one run on a side, only the durations of its calls are available. They do not show how runs differ, so the bar
// is higher: the change is at least kLeastSingleChange, and two durations picked at random are ordered in the direction
// of the change more often than in the other by at least a sixth (Cliff's delta 1/6). If the other side has several
// runs, the change is also four times what these differ by.
#pragma once

#include "analysis/report/report.h"
#include "analysis/tree/call_paths.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace ada::analysis {

inline constexpr double kLeastShare = 0.001, kRate = 0.02, kLeastChange = 0.01, kLeastSingleChange = 0.1;

enum class DiffValue { Calls, Total, Self, P50, P99 };
inline constexpr size_t kDiffValues = 5;

/// One value of a function on both sides.
struct DiffPair {
  std::vector<double> a, b; ///< one per run
  double p = 1;             ///< probability of a difference like this by chance; 1 if not tested
  bool isSignificant = false;

  double meanA() const;
  double meanB() const;
  /// 0.05 for five per cent more in b; infinite if a is 0 and b is not.
  double change() const;
};

struct DiffRow {
  const model::Function *function = nullptr; ///< in Diff::functions
  std::vector<uint32_t> callers;             ///< for paths: the functions around it, outermost first
  std::array<DiffPair, kDiffValues> values;
  const DiffPair &operator[](DiffValue value) const { return values[static_cast<size_t>(value)]; }
  /// True if calls or self time are. Total does not count: it grows with what a function calls.
  bool isSignificant() const;
  /// Only its p50 made it significant: see judge() in diff_judge.cpp.
  bool isByMedian = false;
};

struct Diff {
  std::vector<model::Function> functions;
  std::vector<DiffRow> rows; ///< significant rows first, then by how much self time changed
  DiffPair whole;            ///< self time of all functions
  /// The speed of each run as a whole, and of a single call in it. Set with eight functions or more and two runs per
  /// side.
  std::optional<DiffPair> speed, pace;
  /// Number of functions whose calls or self times lie apart on the two sides, but by less than this few runs can
  /// distinguish from noise; and how many runs per side would be enough if they stay apart.
  size_t undecided = 0, runsNeeded = 0;
};

/// Compares reports by function, one report per run.
Diff makeDiff(std::span<const Report> a, std::span<const Report> b);
/// Compares call paths (PathsBy::Trace), one set per run, with a row for each function and path to it. There are no p50
/// and p99. With one run per side only the change counts, because nothing shows how single calls differ.
Diff makePathDiff(std::span<const CallPaths> a, std::span<const CallPaths> b);

} // namespace ada::analysis
