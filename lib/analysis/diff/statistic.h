// The statistics whose change is explained, as weighted sums of calls' durations.
//
// A sum can be divided: if every call's duration is divided into parts, the statistic is the same weighted sum of the
// parts. For a percentile, the weights are on calls around it: one per cent of all calls for p99, ten for the median.
// Those that take less and those that take more have as much weight as makes the sum equal the percentile.
#pragma once

#include "explained_calls.h"

#include <vector>

namespace ada::analysis {

enum class Statistic {
  Mean,
  Total, ///< of all calls of a run; it is divided like the mean
  Median,
  P99,
};
/// "mean", "total", "p50", "p99"
const char *statisticName(Statistic statistic);

/// The statistic of all calls of one run.
double statisticOf(Statistic statistic, const CallTimes &times);

/// By call: its weight in the mean over a side's runs. `weights` replaces ExplainedCall::weight, and need not add up to
/// one. The weights of the total are those of the mean of all calls, so longer runs count for more.
std::vector<double> sumWeights(Statistic statistic, const ExplainedCalls &calls, const std::vector<double> &weights);

/// The statistic of a side, from the result of sumWeights().
double sumOf(const ExplainedCalls &calls, const std::vector<double> &sums, Side side);

} // namespace ada::analysis
