// Decides which changes in a comparison are more than noise, and whether a rule about them is broken.
//
// The tests are described in diff.h and separation.h.
#pragma once

#include "diff.h"

#include <span>
#include <vector>

namespace ada::analysis {

/// Marks the values of `diff` that changed by more than noise, and counts those that more runs could decide. `deltas`:
/// with one run on a side, Cliff's delta of the calls' durations, by row.
void judge(Diff &diff, const std::vector<double> &deltas);

/// Whether a rule such as "p99 may not grow by more than 5 %" holds.
struct RuleVerdict {
  std::vector<const DiffRow *> broken;
  /// The change is larger than allowed, and this number of runs can't tell whether that is more than noise.
  std::vector<const DiffRow *> undecided;
  size_t runsNeeded = 0; ///< runs per side needed to decide
};

/// Looks at these rows only, whatever their share of the time: the fewer rows, the fewer runs are needed. With four
/// runs or more per side, a change has to be more than noise to break the rule. With fewer runs, or if the rule demands
/// a change ("self must be less by 5 %"), it is broken as soon as the means say so.
RuleVerdict judgeRule(const Diff &diff, std::span<const DiffRow *const> rows, DiffValue value, bool isMore,
                      double change);

/// Probability that chance separates two groups of values at least this far: the exact permutation test of the rank
/// sum, or its normal approximation for more than 50 values.
double rankSumTest(std::span<const double> a, std::span<const double> b);

} // namespace ada::analysis
