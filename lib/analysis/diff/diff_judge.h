// Decides which changes in a comparison are certain or likely, and whether a rule about them is broken.
//
// The tests are described in diff.h.
#pragma once

#include "diff.h"
#include "single_runs.h"

#include <span>
#include <vector>

namespace ada::analysis {

/// Sets the verdicts of rows and values. `durations`: with one run a side, by row; empty if they are
/// not known.
void judge(Diff &diff, std::span<const BothDurations> durations);

/// Whether a rule such as "p99 may not grow by more than 5 %" holds.
struct RuleVerdict {
  std::vector<const DiffRow *> broken;
  /// The change is larger than allowed, but not shown, and there are less than kEnoughRuns.
  std::vector<const DiffRow *> undecided;
};

/// Looks at these rows only, whatever their share of the time, so the test is corrected for fewer functions. With three
/// runs or more per side, a change has to be likely or certain to break the rule. With fewer runs, or if the rule
/// demands a change ("self must be less by 5 %"), it is broken as soon as the means say so.
RuleVerdict judgeRule(const Diff &diff, std::span<const DiffRow *const> rows, DiffValue value, bool isMore,
                      double change);

} // namespace ada::analysis
