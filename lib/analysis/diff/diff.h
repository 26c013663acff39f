// Compares two sides of one or several runs each: what changed per function, and how sure that is.
//
// docs/explanation/noise.md describes the rules for people, with what was measured. In short: a change is certain,
// likely or not shown. Three things show one.
//
//  - Counts (count_test.h): if the runs of each side agree in how often they call a function and the sides do not, that
//    is not a coincidence. If the difference is large, one run a side is enough.
//  - Times of several runs (spread_test.h): the sides differ by more than runs of one side do. How much that is, all
//    functions tell together.
//  - Times of one run a side (single_runs.h): the function's single calls are in that order, and the change is beyond
//    what the program's other functions changed by.
//
// Every test is corrected for the number of functions. A time is certain from kEnoughRuns runs a side on; with three,
// if the function is on-CPU for twice as long as before, or half as long.
//
// Calls, self time and the median of the calls' self times name a function; where that median is not known, the median
// call does if nearly all of it is the function's own. Total, p50 and p99 are tested in the same way, but follow from
// what other functions do, too. A change of less than kLeastChange is never named.
#pragma once

#include "analysis/report/report.h"
#include "analysis/tree/call_paths.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace ada::analysis {

inline constexpr double kLeastShare = 0.001, kLeastChange = 0.01;
/// Per side: more are not needed for a verdict to be certain.
inline constexpr size_t kEnoughRuns = 6;

enum class Verdict { NotShown, Likely, Certain };
/// "not shown", "likely", "certain"
const char *verdictName(Verdict verdict);

enum class DiffValue {
  Calls,
  Total,
  Self, ///< without time for which the thread was preempted, where all runs know that
  P50,
  P99,
  OnCpu,   ///< the on-CPU part of self time, if all runs know it
  SelfP50, ///< the median of the calls' self times, without preemption as for Self; if all reports have these
};
inline constexpr size_t kDiffValues = 7;

/// One value of a function on both sides.
struct DiffPair {
  std::vector<double> a, b; ///< one per run
  double p = 1;             ///< probability of a difference like this by chance; 1 if not tested
  Verdict verdict = Verdict::NotShown;

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
  DiffPair &operator[](DiffValue value) { return values[static_cast<size_t>(value)]; }
  bool knowsOnCpu = false, knowsSelfP50 = false;
  /// Nearly all time of its calls is its own, so that they show what it does itself.
  bool isOwnTime = false;
  /// How sure it is that the function changed, and which value shows it: Calls, Self, OnCpu, P50 or SelfP50.
  Verdict verdict = Verdict::NotShown;
  DiffValue changed = DiffValue::Self;
  bool isShown() const { return verdict != Verdict::NotShown; }
  /// Not shown, but its calls or self times differ in every run. False with one run on a side, where this says nothing.
  bool isApart = false;
};

struct Diff {
  std::vector<model::Function> functions;
  std::vector<DiffRow> rows; ///< those with a verdict first, then by how much self time changed
  DiffPair whole;            ///< self time of all functions
  bool hasOneThread = false; ///< each run, which is therefore likely to do the same
  size_t runs() const { return std::min(whole.a.size(), whole.b.size()); } ///< of the side that has fewer
};

/// Compares reports by function, one report per run, which should have been made with ReportOptions::selfDurations.
Diff makeDiff(std::span<const Report> a, std::span<const Report> b);
/// Compares call paths (PathsBy::Trace), one set per run, with a row for each function and path to it. There are no p50
/// and p99, and nothing is known about single calls, so with one run per side only large changes are likely.
Diff makePathDiff(std::span<const CallPaths> a, std::span<const CallPaths> b);

} // namespace ada::analysis
