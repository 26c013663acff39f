// What exactly made a function slower, or faster: the change of its mean, total or percentile, divided into causes.
//
// Read the function in every run (readExplainRun() in explained_calls.h), then call explainChange(). First the part
// that is due to other arguments is taken out (argument_shift.h), then the rest is divided down the call tree
// (path_changes.h). What is no more than noise is CauseKind::Unexplained; so the causes always add up to the change.
#pragma once

#include "causes.h"
#include "statistic.h"

#include "analysis/report/report.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ada::analysis {

struct Explanation {
  std::string function; ///< its display name
  Statistic statistic = Statistic::Mean;
  BothSides<size_t> runs = {};
  BothSides<uint64_t> calls = {}; ///< complete ones, in all runs
  BothSides<int64_t> ns = {};     ///< the statistic, mean of a side's runs
  int64_t changeNs = 0;
  bool isMoreThanNoise = false;
  std::string note;          ///< what can't be told
  std::vector<Cause> causes; ///< whole nanoseconds, which add up to changeNs. The largest first, then what is smaller,
                             ///< then what is unexplained. Empty if a side has no calls.
  std::map<std::string, double> ofNames; ///< by callee: its part of the change, in the total of a run
};

/// Runs without any call count as runs of no time for the total, and not at all for the other statistics.
Explanation explainChange(std::string function, Statistic statistic, std::span<const ExplainRun> before,
                          std::span<const ExplainRun> after);

/// The functions that changed most, by display name, as reports of all runs show them: those that both sides have, by
/// how much the statistic's change adds to a run. Functions with fewer than 20 calls on a side come after those with
/// more, unless they changed twice as much.
std::vector<std::string> mostChanged(std::span<const Report> before, std::span<const Report> after,
                                     const std::vector<std::string> &globs, Statistic statistic);

} // namespace ada::analysis
