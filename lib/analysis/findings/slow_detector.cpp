// Slow requests, and what sets them apart.
#include "detectors.h"

#include "analysis/outliers/outliers.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::analysis {

namespace {

constexpr size_t kMaxSlowFunctions = 4; // that are looked at

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

// Looks for the finding about the lock that makes calls slow. That finding counts all waits for the lock, also these.
// If it is not known which lock it is, or there are several, the stake says whether one can be the reason. May be null.
Finding *lockOf(const OutlierFactor &factor, double stakeNs, FindingList &found) {
  if (!factor.object || !isLock(factor.object->kind))
    return nullptr;
  Finding *most = nullptr;
  for (Finding &other : found) {
    if (!other.lock)
      continue;
    if (factor.object->isSame(*other.lock))
      return &other;
    if (!factor.object->isKnown() && (!most || other.stakeNs > most->stakeNs))
      most = &other;
  }
  return most && static_cast<double>(most->stakeNs) >= 0.5 * stakeNs ? most : nullptr;
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

// What the factor explains of a slow call. If it had not slept, it would not have woken late.
double explainedNs(const OutlierFactor &factor, const Outliers &outliers) {
  const bool isSleep = factor.object && factor.object->kind == WaitKind::Sleep;
  return factor.explainsNs + (isSleep ? outliers.lateExtraNs : 0);
}

// The factor's share of what is the program's: preemption is a matter of the machine, or of findNoCore().
double shareOfOwn(const OutlierFactor &factor, const Outliers &outliers) {
  const double explained = explainedNs(factor, outliers), late = explained - factor.explainsNs;
  const double ownNs = outliers.extraNs - outliers.preemptedExtraNs - (outliers.lateExtraNs - late);
  return ownNs > 0 ? std::min(1.0, explained / ownNs) : 0;
}

// What all slow calls would not have taken without the factor, also those that were set aside because they were
// preempted. Code that runs longer is preempted for longer. A wait ends when the thread is on-CPU again. And when and
// where a call ran does not make it need a core for longer.
double stakeOf(const OutlierFactor &factor, const Outliers &outliers, const FunctionCost &cost) {
  const auto calls = static_cast<double>(outliers.slowCalls);
  const double eachNs = explainedNs(factor, outliers);
  const double preemptedExtraNs =
      outliers.preemptedSlowOwnNs - outliers.ordinaryMeanNs * static_cast<double>(outliers.preemptedSlow);
  const double ns = eachNs * calls + shareOfOwn(factor, outliers) * preemptedExtraNs;
  if (factor.kind == FactorKind::Waiting)
    return ns;
  if (outliers.preemptedSlow == 0) // none was set aside, although some may have been preempted
    return ns * cost.sum.perCore();
  if (isCircumstance(factor.kind))
    return ns;
  const double partOfWork = std::min(1.0, eachNs / (outliers.slowMeanNs - outliers.preemptedExtraNs));
  return ns + partOfWork * (outliers.preemptedExtraNs * calls + outliers.preemptedSlowNs);
}

// A path of callees is cut to its end: "… > call > delCommand, which …".
std::string shortText(const OutlierFactor &factor) {
  constexpr std::string_view kBelow = " > ";
  const std::string &what = factor.what;
  const size_t last = factor.kind == FactorKind::Callee ? what.rfind(kBelow) : what.npos;
  const size_t before = last == what.npos ? what.npos : what.substr(0, last).rfind(kBelow);
  return before == what.npos ? what : "…" + what.substr(before);
}

// "48 of 3,052 calls of handle() took 1.012 ms on average, ordinary ones 41.670 us"
std::string slowText(const Outliers &outliers, const std::string &function) {
  const std::string calls = formatCount(outliers.calls), mean = wholeDuration(outliers.slowMeanNs);
  const std::string took = outliers.slowCalls == 1
                               ? fmt::format("one of {} calls of {} took {}", calls, function, mean)
                               : fmt::format("{} of {} calls of {} took {} on average", formatCount(outliers.slowCalls),
                                             calls, function, mean);
  return fmt::format("{}, ordinary ones {}", took, wholeDuration(outliers.ordinaryMeanNs));
}

Finding slowFinding(const SessionFacts &facts, const Outliers &outliers, const OutlierFactor &factor, double stakeNs,
                    const std::string &function) {
  Finding finding;
  finding.kind = FindingKind::SlowCalls;
  finding.function = function;
  finding.stakeNs = static_cast<uint64_t>(stakeNs), finding.totalNs = facts.totalNs();
  finding.sure = factor.isCertain() ? Sure::Certain : Sure::Likely;
  finding.text = fmt::format("{}; {} of the difference: {}: {}", slowText(outliers, function),
                             formatShare(factor.share), factorKindText(factor.kind), shortText(factor));
  finding.evidence.push_back(fmt::format("{} of the slow calls and {} of the ordinary ones have it",
                                         formatShare(factor.ofSlow), formatShare(factor.ofOrdinary)));
  if (const double lateNs = explainedNs(factor, outliers) - factor.explainsNs; lateNs > 0.1 * factor.explainsNs)
    finding.evidence.push_back(
        fmt::format("they slept for {} longer than they had asked to, on average", wholeDuration(lateNs)));
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
    if (functions.size() < kMaxSlowFunctions && hasTail(facts.profile.functions[function], facts))
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
    const double stakeNs = std::min(stakeOf(factor, outliers, cost), static_cast<double>(facts.totalNs()));
    constexpr double kTimesOrdinary = 2;
    const double slower = outliers.slowMeanNs / std::max(outliers.ordinaryMeanNs, 1.0);
    const bool isEnough = facts.isEnough(static_cast<uint64_t>(stakeNs)) ||
                          (slower >= kMuchSlower && isEnoughOfSlow(stakeNs, facts) && !isCircumstance(factor.kind));
    if (!isEnough || slower < kTimesOrdinary || isSlowDevice(factor, outliers))
      continue;
    const std::string name = facts.shortOf(request);
    if (Finding *const lock = lockOf(factor, stakeNs, found)) {
      lock->evidence.push_back(
          fmt::format("{}; {} of the difference: waiting for it", slowText(outliers, name), formatShare(factor.share)));
      continue;
    }
    found.push_back(slowFinding(facts, outliers, factor, stakeNs, name));
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
