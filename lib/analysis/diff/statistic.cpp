// Weights of calls in means and percentiles.
#include "statistic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ada::analysis {

const char *statisticName(Statistic statistic) {
  static constexpr const char *kNames[] = {"mean", "total", "p50", "p99"};
  return kNames[static_cast<size_t>(statistic)];
}

namespace {

double shareOf(Statistic statistic) { return statistic == Statistic::P99 ? 0.99 : 0.5; }
bool isPercentile(Statistic statistic) { return statistic == Statistic::P99 || statistic == Statistic::Median; }

// The weights of one run, which add up to one.
void weighPercentile(std::span<const ExplainedCall> calls, std::span<const double> weights, double share, double width,
                     std::span<double> to) {
  constexpr double kRounding = 1e-9;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  // As many calls as make the parts more than chance, if the run has that many.
  width = std::max(width, std::min(share, 1 - share) < 0.1 ? 5.0 / static_cast<double>(calls.size()) : 0.0);
  double before = 0;
  size_t at = 0;
  while (at + 1 < calls.size() && before + weights[at] < (share - kRounding) * all)
    before += weights[at++];
  double low = 0, lowNs = 0, high = 0, highNs = 0, sum = 0;
  std::vector<double> part(calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    const double from = sum / all, upTo = (sum + weights[i]) / all;
    sum += weights[i];
    part[i] = std::max(0.0, std::min(upTo, share + width) - std::max(from, share - width));
    if (i == at)
      part[i] = std::max(part[i], kRounding);
    (i <= at ? low : high) += part[i];
    (i <= at ? lowNs : highNs) += part[i] * calls[i].ns;
  }
  // As it is, the sum is not the percentile. The share of the upper part moves it there.
  const double wanted = calls[at].ns, lowMean = lowNs / low, highMean = high > 0 ? highNs / high : wanted;
  if (lowMean == highMean) { // all alike
    for (size_t i = 0; i < calls.size(); ++i)
      to[i] = part[i] / (low + high);
  } else if (high == 0) { // the longest call is the percentile
    to[at] = 1;
  } else {
    const double upper = (wanted - lowMean) / (highMean - lowMean);
    for (size_t i = 0; i < calls.size(); ++i)
      to[i] = i <= at ? part[i] / low * (1 - upper) : part[i] / high * upper;
  }
}

} // namespace

double statisticOf(Statistic statistic, const CallTimes &times) {
  if (times.count() == 0)
    return 0;
  const double count = static_cast<double>(times.count());
  if (isPercentile(statistic)) {
    const double rank = std::ceil(shareOf(statistic) * count - 1e-9);
    return static_cast<double>(times.at(static_cast<uint64_t>(std::max(rank, 1.0)) - 1));
  }
  const auto sum = static_cast<double>(times.totalNs());
  return statistic == Statistic::Total ? sum : sum / count;
}

std::vector<double> sumWeights(Statistic statistic, const ExplainedCalls &calls, const std::vector<double> &weights) {
  std::vector<double> sums(weights.size());
  BothSides<double> longest = {};
  for (const ExplainedRun &run : calls.runs)
    longest[run.side] += static_cast<double>(run.times->count());
  for (const ExplainedRun &run : calls.runs) {
    const std::span to = std::span(sums).subspan(run.first, run.end - run.first);
    const std::span from = std::span(weights).subspan(run.first, to.size());
    if (isPercentile(statistic)) {
      weighPercentile(calls.of(run), from, shareOf(statistic), statistic == Statistic::P99 ? 0.005 : 0.05, to);
    } else {
      const double all = std::accumulate(from.begin(), from.end(), 0.0);
      for (size_t i = 0; i < to.size(); ++i)
        to[i] = from[i] / all;
    }
    const double ofRun = statistic == Statistic::Total ? static_cast<double>(run.times->count()) / longest[run.side]
                                                       : 1 / static_cast<double>(calls.runsOf[run.side]);
    for (double &weight : to)
      weight *= ofRun;
  }
  return sums;
}

double sumOf(const ExplainedCalls &calls, const std::vector<double> &sums, Side side) {
  double sum = 0;
  for (const ExplainedRun &run : calls.runs)
    if (run.side == side)
      for (size_t i = run.first; i < run.end; ++i)
        sum += sums[i] * calls.calls[i].ns;
  return sum;
}

} // namespace ada::analysis
