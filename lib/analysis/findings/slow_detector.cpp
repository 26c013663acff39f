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

std::string wholeDuration(double ns) { return formatDuration(static_cast<uint64_t>(std::max(ns, 0.0))); }

// Slow calls are rare, so their part of the time is small. If they are much slower, that is enough.
constexpr double kLeastOfSlow = 0.01, kMuchSlower = 5;
bool isEnoughOfSlow(double ns, const SessionFacts &facts) {
  return ns > 0 && ns >= kLeastOfSlow * static_cast<double>(facts.totalNs());
}

// When, where and beside what a call ran. The machine has such patterns as well: its clock ticks, for example.
bool isCircumstance(FactorKind kind) {
  return kind == FactorKind::Time || kind == FactorKind::Thread || kind == FactorKind::Before ||
         kind == FactorKind::Concurrent;
}

// Whether calls far beyond the median have enough of the time that looking at them is worth it.
bool hasTail(const FunctionCost &cost, const SessionFacts &facts) {
  const uint64_t median = cost.durations.quantile(0.5);
  const auto calls = static_cast<uint64_t>(std::max<int64_t>(cost.durations.count(), 1));
  const uint64_t mean = cost.sum.totalNs / calls;
  return mean > median && isEnoughOfSlow(static_cast<double>((mean - median) * calls), facts);
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

// The factor's share of what is the program's: preemption is a matter of the machine, or of findNoCore().
double shareOfOwn(const OutlierFactor &factor, const Outliers &outliers) {
  double ownNs = outliers.extraNs;
  for (const OutlierFactor &other : outliers.factors)
    ownNs -= other.kind == FactorKind::Preempted ? other.explainsNs : 0;
  return ownNs > 0 ? factor.explainsNs / ownNs : 0;
}

// A path of callees is cut to its end: "… > call > delCommand, which …".
std::string shortText(const OutlierFactor &factor) {
  constexpr std::string_view kBelow = " > ";
  const std::string &what = factor.what;
  const size_t last = factor.kind == FactorKind::Callee ? what.rfind(kBelow) : what.npos;
  const size_t before = last == what.npos ? what.npos : what.substr(0, last).rfind(kBelow);
  return before == what.npos ? what : "…" + what.substr(before);
}

Finding slowFinding(const SessionFacts &facts, const Outliers &outliers, const OutlierFactor &factor, double stakeNs,
                    const std::string &function) {
  Finding finding;
  finding.kind = FindingKind::SlowCalls;
  finding.function = function;
  finding.stakeNs = static_cast<uint64_t>(stakeNs), finding.totalNs = facts.totalNs();
  finding.sure = factor.isCertain() ? Sure::Certain : Sure::Likely;
  const std::string calls = formatCount(outliers.calls), mean = wholeDuration(outliers.slowMeanNs);
  finding.text = outliers.slowCalls == 1 ? fmt::format("one of {} calls of {} took {}", calls, function, mean)
                                         : fmt::format("{} of {} calls of {} took {} on average",
                                                       formatCount(outliers.slowCalls), calls, function, mean);
  finding.text +=
      fmt::format(", ordinary ones {}; {} of the difference: {}: {}", wholeDuration(outliers.ordinaryMeanNs),
                  formatShare(factor.share), factorKindText(factor.kind), shortText(factor));
  finding.evidence.push_back(fmt::format("{} of the slow calls and {} of the ordinary ones have it",
                                         formatShare(factor.ofSlow), formatShare(factor.ofOrdinary)));
  finding.command = facts.commandFor("outliers", function);
  if (!outliers.slowest.empty())
    finding.place = {.thread = outliers.slowest[0].thread, .seq = outliers.slowest[0].seq};
  return finding;
}

// The one call that everybody waited for.
struct LongestCall {
  Finding finding;
  SlowExample call;
};

Expected<std::optional<LongestCall>> findLongestCall(const SessionFacts &facts, std::optional<uint32_t> function,
                                                     const ReadTimes &times) {
  const FunctionTimes *const calls = function ? timesOf(times, facts.profile.functions[*function]) : nullptr;
  if (!calls)
    return std::optional<LongestCall>();
  Damage again; // reported already
  const SlowestOf one = {.kind = SlowestOf::Kind::Count, .count = 1, .isGiven = true};
  const Outliers outliers = ADA_TRY(findOutliers(facts.trace.source, facts.trace.table, times, *calls, one, again));
  // One call has much that others don't have. Only a function that no ordinary call calls says why.
  const auto callee = std::ranges::find(outliers.factors, FactorKind::Callee, &OutlierFactor::kind);
  if (callee == outliers.factors.end() || callee->ofOrdinary > 0 || shareOfOwn(*callee, outliers) < 0.5)
    return std::optional<LongestCall>();
  LongestCall longest;
  longest.finding = slowFinding(facts, outliers, *callee, callee->explainsNs, facts.shortOf(*function));
  longest.finding.command = facts.commandFor("outliers --slowest=1", longest.finding.function);
  longest.call = outliers.slowest[0];
  return std::optional(std::move(longest));
}

// The only slow call of a request is the one around `longest`, which says more closely where the time went.
bool isAround(const Outliers &outliers, const LongestCall &longest) {
  const SlowExample &outer = outliers.slowest[0], &inner = longest.call;
  return outliers.slowCalls == 1 && outer.thread == inner.thread && outer.beginNs <= inner.beginNs &&
         outer.endNs >= inner.endNs;
}

} // namespace

std::vector<uint32_t> requestsWithTail(const SessionFacts &facts) {
  std::vector<uint32_t> functions;
  for (const uint32_t function : facts.profile.requests)
    if (functions.size() < kMostSlowFunctions && hasTail(facts.profile.functions[function], facts))
      functions.push_back(function);
  return functions;
}

Expected<void> findSlowCalls(const SessionFacts &facts, std::span<const uint32_t> requests,
                             std::optional<uint32_t> stalled, const ReadTimes &times, FindingList &found) {
  Damage again; // reported already
  std::optional<LongestCall> longest = ADA_TRY(findLongestCall(facts, stalled, times));
  for (const uint32_t request : requests) {
    const FunctionCost &cost = facts.profile.functions[request];
    const FunctionTimes *const function = timesOf(times, cost);
    if (!function)
      continue;
    const Outliers outliers = ADA_TRY(findOutliers(facts.trace.source, facts.trace.table, times, *function, {}, again));
    const auto first = std::ranges::find_if(outliers.factors, [](const OutlierFactor &factor) {
      return factor.kind != FactorKind::Preempted && factor.kind != FactorKind::Unexplained;
    });
    if (first == outliers.factors.end())
      continue;
    if (longest && isAround(outliers, *longest))
      continue;
    const OutlierFactor &factor = *first;
    constexpr double kLeastShare = 0.25; // with less, most of the time has other reasons
    const double share = shareOfOwn(factor, outliers);
    if (share < kLeastShare)
      continue;
    // What runs longer shares its core for longer, and who wakes up may have to wait for one. Calls that were set aside
    // for that have their part in it.
    const auto calls = static_cast<double>(outliers.slowCalls), aside = static_cast<double>(outliers.preemptedSlow);
    double stakeNs = (factor.kind == FactorKind::Waiting ? share * outliers.extraNs : factor.explainsNs) * calls;
    stakeNs += share * (outliers.extraNs + outliers.preemptedMeanNs) * aside;
    if (factor.kind != FactorKind::Waiting && aside == 0)
      stakeNs *= cost.sum.perCore();
    stakeNs = std::min(stakeNs, static_cast<double>(facts.totalNs()));
    constexpr double kTimesOrdinary = 2;
    const double slower = outliers.slowMeanNs / std::max(outliers.ordinaryMeanNs, 1.0);
    const bool isEnough = facts.isEnough(static_cast<uint64_t>(stakeNs)) ||
                          (slower >= kMuchSlower && isEnoughOfSlow(stakeNs, facts) && !isCircumstance(factor.kind));
    if (!isEnough || slower < kTimesOrdinary || isSlowDevice(factor, outliers))
      continue;
    // The lock is a finding of its own.
    if (factor.kind == FactorKind::Waiting && isLockText(factor.what) &&
        std::ranges::any_of(found, [&](const Finding &other) {
          return (other.kind == FindingKind::Lock || other.kind == FindingKind::IoInLock) &&
                 static_cast<double>(other.stakeNs) >= 0.5 * stakeNs;
        }))
      continue;
    found.push_back(slowFinding(facts, outliers, factor, stakeNs, facts.shortOf(request)));
    if (longest && found.back().stakeNs >= longest->finding.stakeNs)
      longest.reset(); // it is one of several
  }
  if (longest)
    found.push_back(std::move(longest->finding));
  return {};
}

std::optional<uint32_t> functionThatStalled(const SessionFacts &facts) {
  constexpr double kLeastOfRun = 0.0025, kTimesMedian = 1000, kNearlyAll = 0.9;
  constexpr int64_t kLeastCalls = 1000;
  const SessionProfile &profile = facts.profile;
  std::vector<uint64_t> longest; // by function; 0 if it has no such call
  for (const FunctionCost &cost : profile.functions) {
    const uint64_t ns = cost.durations.longest();
    const auto took = static_cast<double>(ns);
    const bool isApart = took >= kLeastOfRun * static_cast<double>(profile.runNs()) &&
                         took >= kTimesMedian * static_cast<double>(cost.durations.quantile(0.5));
    longest.push_back(!cost.isLibrary && cost.durations.count() >= kLeastCalls && isApart ? ns : 0);
  }
  const double most = longest.empty() ? 0 : static_cast<double>(std::ranges::max(longest));
  // The innermost one: those around it were as long because of it.
  std::optional<uint32_t> stalled;
  uint32_t depth = 0;
  for (uint32_t node = 1; node < profile.costs.size(); ++node) {
    const uint32_t function = profile.paths[node].function;
    if (PathTree::isFunction(function) && longest[function] > 0 && profile.paths.depth(node) > depth &&
        static_cast<double>(longest[function]) >= kNearlyAll * most)
      depth = profile.paths.depth(node), stalled = function;
  }
  return stalled;
}

} // namespace ada::analysis
