// What changed between two sides of one or several runs each: per function, and what of it is more than noise.
//
// Two tests say so where a side has two runs or more, and either is enough.
//
// Ranks, where the numbers of runs are enough to tell (five per side, say): an exact permutation test of the rank sum
// (Mann and Whitney's; ties have their mean rank) says how often chance alone would part the sides as far. With eight
// functions or more it is done twice, with the values as they are and with each run's speed taken out, which the median
// function tells; the smaller chance counts double. Calls and self of all functions that take at least kLeastShare of
// the time are tested together, at a false discovery rate of kRate (Benjamini and Hochberg): without any real change,
// one comparison in fifty names something.
//
// Plain separation (separation.h), from two runs per side on: the sides of a value do not overlap, and the gap between
// them is larger, for what it varies, than any other way to deal the runs to two sides gives for any value. Again with
// the values as they are and with speeds taken out. Without any real change it names something in one comparison of
// fifty where there are 50 ways to deal the runs (five per side), and in 3 of 100 with fewer (measured in
// diff_test.cpp; the exact bound is one in the number of ways: 35 for four runs per side, 10 for three, 3 for two).
//
// Calls and self name a function. Total, p50 and p99 are tested in the same way; they follow of what others do, and
// name nobody. A change of less than kLeastChange is never named.
//
// With one run on a side only the calls' durations are there. They say nothing of how runs differ, so the bar is
// higher: kLeastSingleChange more or less, and two durations taken at random are in the order of the change more often
// than not by at least a sixth (Cliff's delta 1/6); and if the other side has several runs, the change is four times
// what these differ by.
#ifndef ADA_LIB_ANALYSIS_DIFF_H
#define ADA_LIB_ANALYSIS_DIFF_H

#include "call_paths.h"
#include "report.h"

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
  double p = 1;             ///< how likely a difference like this is by chance; 1 if that was not tested
  bool isSignificant = false;

  double meanA() const;
  double meanB() const;
  /// 0.05 for five per cent more in b; infinite if a is 0 and b is not.
  double change() const;
};

struct DiffRow {
  const model::Function *function = nullptr; ///< in Diff::functions
  std::vector<uint32_t> callers;             ///< by path: the functions around it, the outermost first
  std::array<DiffPair, kDiffValues> values;
  const DiffPair &operator[](DiffValue value) const { return values[static_cast<size_t>(value)]; }
  /// Calls or self are: total grows with what a function calls.
  bool isSignificant() const;
  /// It is significant by its p50 only: see judge() in diff_judge.cpp.
  bool isByMedian = false;
};

struct Diff {
  std::vector<model::Function> functions;
  std::vector<DiffRow> rows; ///< first what is significant, then by how much self time changed
  DiffPair whole;            ///< self time of all functions
  /// How fast each run was as a whole, and a single call in it; with eight functions or more, and two runs per side.
  std::optional<DiffPair> speed, pace;
  /// Functions whose calls or self times lie apart on the two sides, but by less than so few runs can tell from noise;
  /// and how many runs per side can, if they stay apart.
  size_t undecided = 0, runsNeeded = 0;
};

/// Compares reports by function, one for each run.
Diff makeDiff(std::span<const Report> a, std::span<const Report> b);
/// Compares call paths (PathsBy::Trace), one for each run: a row for each function and way to it. There are no p50 and
/// p99; with one run per side only the change counts, for nothing tells how single calls differ.
Diff makePathDiff(std::span<const CallPaths> a, std::span<const CallPaths> b);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_DIFF_H
