// Divides the change of a function's time by where and why it happens, without a remainder.
//
// The time of a call is that of its own code and, for each callee, how often that is called times what one of its calls
// takes; and so on down the tree. A product changes by its factors: r times t changes by the change of r at the mean t,
// and by the change of t at the mean r. The first is a row, "called more often"; the second is divided in the same way,
// one level further down. Waits with a known reason, preemption and so on are rows of their own, wherever they happen.
#pragma once

#include "causes.h"
#include "statistic.h"

#include <map>
#include <string>
#include <vector>

namespace ada::analysis {

struct PathChange {
  CauseKind kind = CauseKind::Own;
  uint32_t node = PathTree::kRoot; ///< in ExplainedCalls::paths
  size_t reason = 0;               ///< in ExplainedCalls::reasons
  bool hasReason = false;          ///< it is a wait for that, anywhere
  double explainsNs = 0;           ///< part of the change
  double before = 0, after = 0;    ///< calls, or nanoseconds, per call of the function around
  double eachNs = 0;               ///< what one call takes, for kinds of calls
  double deviations = 0;           ///< the change in units of what chance alone gives; may be infinite
  bool isApart = true;             ///< with several runs on both sides: they don't overlap
};

struct PathChanges {
  std::vector<PathChange> changes;       ///< they add up to the change; in no particular order
  std::map<std::string, double> ofNames; ///< by callee: the change of what it took, in its outermost calls
};
/// `sums`: from sumWeights().
PathChanges findPathChanges(const ExplainedCalls &calls, const std::vector<double> &sums);
/// The same for people.
Cause describe(const ExplainedCalls &calls, const PathChange &change);
/// "6.0", "0.012"
std::string countText(double count);
/// "12.5 us"
std::string meanDurationText(double ns);

} // namespace ada::analysis
