// Where the program's own code spends its time.
#include "detectors.h"

#include "shared/exec_functions.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace ada::analysis {

namespace {

/// Time on-CPU by the program's function that is responsible for it. All of it is multiplied by how much longer code
/// took because it had no core: which function had none is a matter of chance.
class CodeTimes {
public:
  explicit CodeTimes(const SessionFacts &facts) : facts_(facts), own_(facts.profile.paths.size(), kNobody) {
    const PathTree &paths = facts.profile.paths;
    uint64_t onCpuNs = 0, workNs = 0;
    for (uint32_t node = 1; node < paths.size(); ++node) {
      const uint32_t function = paths[node].function;
      own_[node] = PathTree::isFunction(function) && !facts.profile.functions[function].isLibrary
                       ? function
                       : own_[paths[node].parent];
      if (counts(node) && own_[node] != kNobody) {
        const PathCost &cost = facts.profile.costs[node];
        times_[own_[node]] += cost.selfOnCpuNs();
        onCpuNs += cost.selfOnCpuNs(), workNs += cost.selfWorkNs();
      }
    }
    giveHelpersAway();
    for (auto &[function, ns] : times_)
      ns = static_cast<uint64_t>(static_cast<double>(ns) * static_cast<double>(workNs) /
                                 std::max(1.0, static_cast<double>(onCpuNs)));
  }
  /// By time, the most first.
  std::vector<std::pair<uint32_t, uint64_t>> sorted() const {
    std::vector<std::pair<uint32_t, uint64_t>> list(times_.begin(), times_.end());
    std::ranges::stable_sort(list, std::greater(), [](const auto &of) { return of.second; });
    return list;
  }

private:
  bool counts(uint32_t node) const { return facts_.profile.requests.empty() || facts_.profile.isInRequest[node]; }
  // A function that several functions call, none of them for most of its time, works for them: its time is theirs.
  void giveHelpersAway() {
    constexpr size_t kLeastCallers = 3;
    std::map<uint32_t, std::map<uint32_t, uint64_t>> callers; // by function
    const PathTree &paths = facts_.profile.paths;
    for (uint32_t node = 1; node < paths.size(); ++node)
      if (counts(node) && own_[node] != kNobody && own_[paths[node].parent] != kNobody &&
          own_[paths[node].parent] != own_[node])
        callers[own_[node]][own_[paths[node].parent]] += facts_.profile.costs[node].onCpuNs();
    for (const auto &[helper, of] : callers) {
      uint64_t sum = 0, most = 0;
      for (const auto &[caller, ns] : of)
        sum += ns, most = std::max(most, ns);
      const uint64_t own = times_[helper];
      if (of.size() < kLeastCallers || sum == 0)
        continue;
      times_.erase(helper);
      for (const auto &[caller, ns] : of)
        times_[caller] +=
            static_cast<uint64_t>(static_cast<double>(own) * static_cast<double>(ns) / static_cast<double>(sum));
    }
  }

  const SessionFacts &facts_;
  std::vector<uint32_t> own_; // by node: the function that is responsible
  std::map<uint32_t, uint64_t> times_;
};

} // namespace

void findHotCode(const SessionFacts &facts, FindingList &found) {
  const auto times = CodeTimes(facts).sorted();
  constexpr double kLeastOfAll = 0.3, kNextBelow = 3;
  constexpr size_t kOthers = 2; // beside one or two functions, the largest says nothing
  if (times.size() <= kOthers)
    return;
  const auto [function, ns] = times[0];
  uint64_t sum = 0;
  for (const auto &of : times)
    sum += of.second;
  const auto total = static_cast<double>(facts.totalNs());
  size_t others = 0;
  for (size_t i = 1; i < times.size(); ++i)
    others += static_cast<double>(times[i].second) >= 0.005 * static_cast<double>(sum);
  if (others < kOthers || static_cast<double>(ns) < kLeastOfAll * total ||
      static_cast<double>(ns) < kNextBelow * static_cast<double>(times[1].second))
    return;
  const FunctionCost &cost = facts.profile.functions[function];
  Finding finding;
  finding.kind = FindingKind::HotCode, finding.sure = Sure::Certain;
  finding.function = facts.shortOf(function);
  finding.stakeNs = ns, finding.totalNs = facts.totalNs();
  const std::string each = cost.sum.calls == 1 ? std::string()
                                               : fmt::format(", {} in each of {}",
                                                             formatDuration(ns / std::max<uint64_t>(cost.sum.calls, 1)),
                                                             formatCount(cost.sum.calls, "call"));
  finding.text = fmt::format("the code of {} itself took {}{}; that of the next, {}, {}", finding.function,
                             formatDuration(ns), each, facts.shortOf(times[1].first), formatDuration(times[1].second));
  finding.command = facts.commandFor("report", finding.function);
  found.push_back(std::move(finding));
}

//===--- exceptions and start-up ------------------------------------------===//

namespace {

// The calls would have taken some time anyway: that of the calls on the same path that returned.
uint64_t exceptionNsOf(const PathCost &cost) {
  const uint64_t returned = cost.calls - cost.exceptions, workNs = cost.selfWorkNs();
  if (returned < kLeastRequests)
    return cost.exceptionNs + cost.catchNs;
  const double each = static_cast<double>(workNs - std::min(workNs, cost.exceptionNs)) / static_cast<double>(returned);
  const auto anyway = static_cast<uint64_t>(each * static_cast<double>(cost.exceptions));
  return cost.exceptionNs - std::min(cost.exceptionNs, anyway) + cost.catchNs;
}

// By path: how often it was left because a child of vfork(), which shares the memory, executed a program. Then the
// parent goes on where it was, as after a jump.
std::vector<uint64_t> leftByExec(const SessionFacts &facts) {
  const SessionProfile &profile = facts.profile;
  std::vector<uint64_t> left(profile.paths.size());
  for (uint32_t node = 1; node < profile.paths.size(); ++node)
    if (profile.costs[node].exceptions &&
        std::ranges::find(kExecFunctions, facts.shortOf(profile.paths[node].function)) != std::end(kExecFunctions))
      for (uint32_t at = node; at != PathTree::kRoot; at = profile.paths[at].parent)
        left[at] += profile.costs[node].exceptions;
  return left;
}

} // namespace

void findExceptions(const SessionFacts &facts, FindingList &found) {
  const SessionProfile &profile = facts.profile;
  const std::vector<uint64_t> byExec = leftByExec(facts);
  uint64_t ns = 0, most = 0, calls = 0, mostCalls = 0;
  uint32_t function = kNobody;
  std::map<uint32_t, PathCost> byFunction; // the program's own
  for (uint32_t node = 1; node < profile.paths.size(); ++node) {
    const PathCost &cost = profile.costs[node];
    if (cost.exceptions <= byExec[node] || (!profile.requests.empty() && !profile.isInRequest[node]))
      continue;
    const uint64_t exceptionNs = exceptionNsOf(cost);
    ns += exceptionNs;
    uint32_t at = node;
    while (at != PathTree::kRoot && !profile.isOwn(at))
      at = profile.paths[at].parent;
    if (at == PathTree::kRoot)
      continue;
    PathCost &sum = byFunction[profile.paths[at].function];
    sum.exceptions = std::max(sum.exceptions, cost.exceptions), sum.exceptionNs += exceptionNs;
  }
  for (const auto &[number, cost] : byFunction) {
    calls = std::max(calls, cost.exceptions);
    if (cost.exceptionNs >= most)
      most = cost.exceptionNs, function = number, mostCalls = cost.exceptions;
  }
  constexpr uint64_t kUsual = 10; // one request in that many
  if (function == kNobody || !facts.isEnough(ns) || calls * kUsual < profile.requestCalls || calls < kLeastRequests)
    return;
  Finding finding;
  finding.kind = FindingKind::Exceptions, finding.sure = Sure::Likely;
  finding.function = facts.shortOf(function);
  finding.stakeNs = ns, finding.totalNs = facts.totalNs();
  finding.text = fmt::format("{} was left by an exception {}, with {}: that took {}, {} each time", finding.function,
                             formatCount(mostCalls, "time"), formatCount(profile.requestCalls, "request"),
                             formatDuration(ns), formatDuration(ns / std::max<uint64_t>(calls, 1)));
  finding.command = facts.command("report --columns=calls,exceptions,total_ns,function");
  found.push_back(std::move(finding));
}

void findStartUp(const SessionFacts &facts, FindingList &found) {
  const SessionProfile &profile = facts.profile;
  if (profile.requests.empty() || facts.processes.all.size() != 1)
    return;
  const uint64_t ns = profile.firstRequestNs - std::min(profile.beginNs, profile.firstRequestNs);
  constexpr double kLeastOfRun = 0.1;
  if (static_cast<double>(ns) < kLeastOfRun * static_cast<double>(profile.runNs()))
    return;
  // What it called meanwhile: the most time among the calls that hold no request.
  std::vector<bool> holdsRequest(profile.paths.size());
  for (uint32_t node : profile.requestNodes)
    for (; node != PathTree::kRoot && !holdsRequest[node]; node = profile.paths[node].parent)
      holdsRequest[node] = true;
  uint32_t most = PathTree::kRoot;
  uint64_t worksNs = 0;
  for (uint32_t node = 1; node < profile.paths.size(); ++node) {
    const PathCost &cost = profile.costs[node];
    const uint32_t parent = profile.paths[node].parent;
    if (holdsRequest[node] || (parent != PathTree::kRoot && !holdsRequest[parent]) || cost.calls == 0 ||
        cost.firstNs >= profile.firstRequestNs)
      continue;
    const bool isIdle = !profile.isOwn(node); // waits for the first client, say
    worksNs += isIdle ? 0 : cost.totalNs;
    if (!isIdle && (most == PathTree::kRoot || cost.totalNs > profile.costs[most].totalNs))
      most = node;
  }
  if (most == PathTree::kRoot || worksNs * 2 < ns)
    return;
  Finding finding;
  finding.kind = FindingKind::StartUp, finding.sure = Sure::Certain;
  finding.function = facts.shortOf(profile.paths[most].function);
  finding.stakeNs = ns, finding.totalNs = profile.runNs();
  finding.text = fmt::format("the first request began after {} of {}; {} took {} of that", formatDuration(ns),
                             formatDuration(profile.runNs()), finding.function,
                             formatDuration(std::min(profile.costs[most].totalNs, ns)));
  finding.command = fmt::format("adatrace tree --to={}us {}", ns / 1000 + 1, facts.session);
  found.push_back(std::move(finding));
}

//===--- slower as the run goes on ----------------------------------------===//

namespace {

struct Growth {
  double stakeNs = 0, firstNs = 0, lastNs = 0;
};

// A line through the means of the parts of the run, over the number of calls: what is above its begin has grown. It
// goes through the first part, which has the most calls, with the median slope to the others: one odd part does not
// tilt it.
std::optional<Growth> growthOf(const FunctionCost &cost) {
  constexpr uint64_t kLeastCalls = 5;
  constexpr size_t kLeastSlots = 6;
  struct Point {
    double at, mean, weight;
  };
  std::vector<Point> points;
  double before = 0;
  for (const FunctionCost::Slot &slot : cost.slots) {
    const auto calls = static_cast<double>(slot.calls);
    if (slot.calls >= kLeastCalls)
      points.push_back({before + calls / 2, static_cast<double>(slot.onCpuNs) / calls, calls});
    before += calls;
  }
  if (points.size() < kLeastSlots)
    return std::nullopt;
  size_t rises = 0, pairs = 0;
  for (size_t i = 0; i < points.size(); ++i)
    for (size_t j = i + 1; j < points.size(); ++j)
      ++pairs, rises += points[j].mean > points[i].mean;
  constexpr double kNearlyAll = 0.85, kLeastFactor = 1.5;
  const double first = (points[0].mean + points[1].mean) / 2,
               last = (points[points.size() - 1].mean + points[points.size() - 2].mean) / 2;
  if (static_cast<double>(rises) < kNearlyAll * static_cast<double>(pairs) || last < kLeastFactor * first)
    return std::nullopt;
  std::vector<double> slopes;
  for (size_t i = 1; i < points.size(); ++i)
    slopes.push_back((points[i].mean - points[0].mean) / (points[i].at - points[0].at));
  std::ranges::nth_element(slopes, slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2));
  const double slope = std::max(0.0, slopes[slopes.size() / 2]);
  const double base = std::max(0.0, points[0].mean - slope * points[0].at);
  Growth growth{.stakeNs = 0, .firstNs = base, .lastNs = last};
  for (const Point &point : points)
    growth.stakeNs += point.weight * std::max(0.0, point.mean - base);
  return growth;
}

} // namespace

void findSlowerOverTime(const SessionFacts &facts, FindingList &found) {
  std::optional<Growth> best;
  uint32_t function = kNobody;
  const auto &functions = facts.profile.functions;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].isLibrary)
      continue;
    auto growth = growthOf(functions[i]);
    if (growth)
      growth->stakeNs *= functions[i].sum.perCore();
    if (!growth || !facts.isEnough(static_cast<uint64_t>(growth->stakeNs)))
      continue;
    // The innermost function that has most of it: its callers get slower, too.
    constexpr double kMost = 0.8;
    const bool isMore = !best || growth->stakeNs > best->stakeNs;
    const bool isInner = best && functions[i].sum.totalNs < functions[function].sum.totalNs;
    if (!best || (isInner && growth->stakeNs >= kMost * best->stakeNs) ||
        (isMore && (isInner || growth->stakeNs * kMost > best->stakeNs)))
      best = growth, function = i;
  }
  if (!best)
    return;
  Finding finding;
  finding.kind = FindingKind::SlowerOverTime, finding.sure = Sure::Likely;
  finding.function = facts.shortOf(function);
  finding.stakeNs = static_cast<uint64_t>(best->stakeNs), finding.totalNs = facts.totalNs();
  finding.text = fmt::format("calls of {} get slower as the run goes on: {} on-CPU at its begin, {} at its end",
                             finding.function, formatDuration(static_cast<uint64_t>(best->firstNs)),
                             formatDuration(static_cast<uint64_t>(best->lastNs)));
  finding.evidence.push_back(fmt::format("{} took {} longer than at the begin, in total",
                                         formatCount(functions[function].sum.calls, "call"),
                                         formatDuration(finding.stakeNs)));
  finding.command = facts.commandFor("report --slowest=10", finding.function);
  found.push_back(std::move(finding));
}

} // namespace ada::analysis
