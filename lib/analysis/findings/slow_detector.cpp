// Slow requests, and what sets them apart.
#include "detectors.h"

#include "analysis/outliers/outliers.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::analysis {

namespace {

constexpr size_t kMostSlowFunctions = 4; // that are looked at

// Whether calls far beyond the median have enough of the time that looking at them is worth it.
bool hasTail(const FunctionCost &cost, const SessionFacts &facts) {
  const uint64_t median = cost.durations.quantile(0.5);
  const auto calls = static_cast<uint64_t>(std::max<int64_t>(cost.durations.count(), 1));
  const uint64_t mean = cost.sum.totalNs / calls;
  return mean > median && facts.isEnough((mean - median) * calls);
}

bool isLockText(const std::string &what) {
  return what.starts_with("mutex") || what.starts_with("rwlock") || what.starts_with("spin lock");
}

// The factor is a wait for a file, or has its time there, that ordinary calls wait for, too: how long they do is a
// matter of the device.
bool isSlowDevice(const OutlierFactor &factor, const Outliers &outliers) {
  return std::ranges::any_of(outliers.factors, [&](const OutlierFactor &wait) {
    constexpr double kLeastOfOrdinary = 0.1;
    return wait.kind == FactorKind::Waiting && wait.what.starts_with("file") &&
           wait.ordinaryNs >= kLeastOfOrdinary * outliers.ordinaryMeanNs &&
           (&wait == &factor || factor.how.find(wait.what) != std::string::npos);
  });
}

} // namespace

std::vector<uint32_t> requestsWithTail(const SessionFacts &facts) {
  std::vector<uint32_t> functions;
  for (const uint32_t function : facts.profile.requests)
    if (functions.size() < kMostSlowFunctions && hasTail(facts.profile.functions[function], facts))
      functions.push_back(function);
  return functions;
}

Expected<void> findSlowCalls(const SessionFacts &facts, std::span<const uint32_t> requests, const ReadTimes &times,
                             FindingList &found) {
  Damage again; // reported already
  for (const uint32_t request : requests) {
    const FunctionCost &cost = facts.profile.functions[request];
    const FunctionTimes *const function = timesOf(times, cost);
    if (!function)
      continue;
    const Outliers outliers = ADA_TRY(findOutliers(facts.trace.source, facts.trace.table, times, *function, {}, again));
    // Preemption is a matter of the machine, or of findNoCore().
    const auto first = std::ranges::find_if(outliers.factors, [](const OutlierFactor &factor) {
      return factor.kind != FactorKind::Preempted && factor.kind != FactorKind::Unexplained;
    });
    if (first == outliers.factors.end())
      continue;
    const OutlierFactor &factor = *first;
    double stakeNs = factor.explainsNs * static_cast<double>(outliers.slowCalls);
    if (factor.kind != FactorKind::Waiting)
      stakeNs = std::min(stakeNs * cost.sum.perCore(), static_cast<double>(facts.totalNs()));
    constexpr double kTimesOrdinary = 2;
    if (!facts.isEnough(static_cast<uint64_t>(stakeNs)) ||
        outliers.slowMeanNs < kTimesOrdinary * outliers.ordinaryMeanNs || isSlowDevice(factor, outliers))
      continue;
    // The lock is a finding of its own.
    if (factor.kind == FactorKind::Waiting && isLockText(factor.what) &&
        std::ranges::any_of(found, [&](const Finding &other) {
          return (other.kind == FindingKind::Lock || other.kind == FindingKind::IoInLock) &&
                 static_cast<double>(other.stakeNs) >= 0.5 * stakeNs;
        }))
      continue;
    Finding finding;
    finding.kind = FindingKind::SlowCalls;
    finding.function = facts.shortOf(request);
    finding.stakeNs = static_cast<uint64_t>(stakeNs), finding.totalNs = facts.totalNs();
    finding.sure = factor.isCertain() ? Sure::Certain : Sure::Likely;
    const auto whole = [](double ns) { return formatDuration(static_cast<uint64_t>(std::max(ns, 0.0))); };
    finding.text = fmt::format(
        "{} of {} calls of {} took {} on average, ordinary ones {}; {} of the difference: {}: {}",
        formatCount(outliers.slowCalls), formatCount(outliers.calls), finding.function, whole(outliers.slowMeanNs),
        whole(outliers.ordinaryMeanNs), formatShare(factor.share), factorKindText(factor.kind), factor.what);
    finding.evidence.push_back(fmt::format("{} of the slow calls and {} of the ordinary ones have it",
                                           formatShare(factor.ofSlow), formatShare(factor.ofOrdinary)));
    finding.command = facts.commandFor("outliers", finding.function);
    if (!outliers.slowest.empty())
      finding.place = {.thread = outliers.slowest[0].thread, .seq = outliers.slowest[0].seq};
    found.push_back(std::move(finding));
  }
  return {};
}

} // namespace ada::analysis
