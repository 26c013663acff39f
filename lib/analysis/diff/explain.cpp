// Divides the change of a function's statistic into causes that add up.
#include "explain.h"

#include "analysis/tree/path_views.h"
#include "argument_shift.h"
#include "path_changes.h"

#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/names.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ada::analysis {

namespace {

constexpr double kLeastDeviations = 4, kLeastShareOfChange = 0.02;
constexpr size_t kMaxCauses = 12;

// Whether the statistic of the sides differs by more than chance.
bool differs(Statistic statistic, const ExplainedCalls &calls) {
  BothSides<double> least = {INFINITY, INFINITY}, most = {-INFINITY, -INFINITY};
  BothSides<double> error = {}, value = {};
  bool hasFew = false;
  for (const ExplainedRun &run : calls.runs) {
    const CallTimes &times = *run.times;
    const double of = statisticOf(statistic, times), count = static_cast<double>(times.count());
    least[run.side] = std::min(least[run.side], of), most[run.side] = std::max(most[run.side], of);
    value[run.side] = of, hasFew |= times.count() < 5;
    if (statistic == Statistic::Mean || statistic == Statistic::Total) {
      const double mean = statisticOf(Statistic::Mean, times);
      double squares = 0;
      for (const auto &[ns, calls] : times.longest(times.count()))
        squares += static_cast<double>(calls) * (static_cast<double>(ns) - mean) * (static_cast<double>(ns) - mean);
      error[run.side] = std::sqrt(squares) / (statistic == Statistic::Total ? 1 : count);
    } else { // half the distance between the ranks that chance may make of this one
      const double share = statistic == Statistic::P99 ? 0.99 : 0.5, off = std::sqrt(count * share * (1 - share));
      const auto at = [&](double rank) {
        return static_cast<double>(times.at(static_cast<uint64_t>(std::clamp(rank, 0.0, count - 1))));
      };
      constexpr double kResolution = 1.0 / 4096; // of CallTimes::at()
      const double chance = (at(share * count + off) - at(share * count - off)) / 2, resolution = kResolution * of;
      error[run.side] = std::sqrt(chance * chance + resolution * resolution); // std::hypot() would need glibc 2.35
    }
  }
  if (std::min(calls.runsOf[kBefore], calls.runsOf[kAfter]) > 1)
    return most[kBefore] < least[kAfter] || most[kAfter] < least[kBefore];
  const double change = std::abs(value[kAfter] - value[kBefore]);
  if (std::max(calls.runsOf[kBefore], calls.runsOf[kAfter]) > 1 || hasFew) // as in diff
    return change >= 0.1 * std::min(value[kBefore], value[kAfter]);
  return change > kLeastDeviations * std::sqrt(error[kBefore] * error[kBefore] + error[kAfter] * error[kAfter]);
}

struct Divided {
  std::vector<Cause> causes;
  std::map<std::string, double> ofNames;
};

// How many deviations are more than chance. With few calls, these differ less from each other than calls do.
double leastDeviations(const ExplainedCalls &calls, const std::vector<double> &sums) {
  BothSides<double> squares = {};
  for (const ExplainedRun &run : calls.runs)
    for (size_t i = run.first; i < run.end; ++i)
      squares[run.side] += sums[i] * sums[i];
  return kLeastDeviations * (1 + 8 * std::max(squares[kBefore], squares[kAfter]));
}

// Time that the recorder took is measured, whether or not it differs by more than chance.
bool isNoise(const PathChange &change, double least) {
  return std::abs(change.explainsNs) < 0.5 ||
         (change.kind != CauseKind::Recorder && (!change.isApart || change.deviations < least));
}

// Sorts changes into causes and smaller ones; what may be chance is left out.
std::vector<Cause> sortOut(const ExplainedCalls &calls, std::vector<PathChange> changes, std::vector<Cause> causes,
                           double least, double all) {
  std::erase_if(changes, [least](const PathChange &change) { return isNoise(change, least); });
  std::ranges::sort(changes, std::greater(), [](const PathChange &change) { return std::abs(change.explainsNs); });
  double smaller = 0;
  size_t number = 0;
  std::string largest;
  for (const PathChange &change : changes) {
    if (causes.size() < kMaxCauses && std::abs(change.explainsNs) >= kLeastShareOfChange * std::abs(all)) {
      causes.push_back(describe(calls, change));
      continue;
    }
    smaller += change.explainsNs;
    if (number++ == 0) {
      const Cause cause = describe(calls, change);
      largest = (cause.path.empty() ? "" : cause.path.back() + ", ") + cause.what;
    }
  }
  std::ranges::stable_sort(causes, std::greater(), [](const Cause &cause) { return std::abs(cause.explainsNs); });
  if (number > 0) {
    Cause rest;
    rest.kind = CauseKind::Smaller, rest.explainsNs = smaller;
    rest.what = fmt::format("{}, the largest: {}", formatCount(number, "smaller difference"), largest);
    causes.push_back(std::move(rest));
  }
  return causes;
}

// Makes the amounts whole nanoseconds that add up.
void settleSum(Explanation &found) {
  Cause rest;
  rest.what = "may be chance";
  double sum = 0;
  for (Cause &cause : found.causes)
    sum += cause.explainsNs = std::round(cause.explainsNs);
  rest.explainsNs = static_cast<double>(found.changeNs) - sum;
  found.causes.push_back(std::move(rest));
}

std::vector<const ExplainRun *> withCalls(std::span<const ExplainRun> runs) {
  std::vector<const ExplainRun *> result;
  for (const ExplainRun &run : runs)
    if (run.times.count() > 0)
      result.push_back(&run);
  return result;
}

} // namespace

Explanation explainChange(std::string function, Statistic statistic, std::span<const ExplainRun> before,
                          std::span<const ExplainRun> after) {
  Explanation found;
  found.function = std::move(function), found.statistic = statistic;
  found.runs = {before.size(), after.size()};
  const BothSides<std::vector<const ExplainRun *>> sides = {withCalls(before), withCalls(after)};
  BothSides<double> callsOfRun = {}; // mean
  for (const Side side : {kBefore, kAfter}) {
    double sum = 0;
    for (const ExplainRun *run : sides[side])
      sum += statisticOf(statistic, run->times), found.calls[side] += run->times.count();
    const double runs = static_cast<double>(statistic == Statistic::Total ? found.runs[side] : sides[side].size());
    found.ns[side] = runs > 0 ? std::llround(sum / runs) : 0;
    callsOfRun[side] = static_cast<double>(found.calls[side]) / static_cast<double>(found.runs[side]);
  }
  found.changeNs = found.ns[kAfter] - found.ns[kBefore];
  if (found.calls[kBefore] == 0 || found.calls[kAfter] == 0)
    return found;
  const ExplainedCalls calls = joinRuns(sides[kBefore], sides[kAfter]);
  found.isMoreThanNoise = differs(statistic, calls);

  ArgumentShift shift = findArgumentShift(calls, statistic);
  found.note = shift.note;
  const std::vector<double> sums = sumWeights(statistic, calls, shift.weights);
  PathChanges paths = findPathChanges(calls, sums);
  // The total is the number of calls times their mean.
  double scale = 1;
  if (statistic == Statistic::Total) {
    scale = (callsOfRun[kBefore] + callsOfRun[kAfter]) / 2;
    const auto meanNs = [&](Side side) { return static_cast<double>(found.ns[side]) / callsOfRun[side]; };
    Cause number;
    number.kind = CauseKind::Calls;
    number.explainsNs = (callsOfRun[kAfter] - callsOfRun[kBefore]) * (meanNs(kBefore) + meanNs(kAfter)) / 2;
    number.what = fmt::format("called {} times in a run instead of {}, {} each", countText(callsOfRun[kAfter]),
                              countText(callsOfRun[kBefore]), meanDurationText((meanNs(kBefore) + meanNs(kAfter)) / 2));
    for (Cause &cause : shift.causes)
      cause.explainsNs *= scale;
    for (PathChange &change : paths.changes)
      change.explainsNs *= scale;
    if (number.explainsNs != 0)
      shift.causes.push_back(std::move(number));
  }
  const double perRun = (callsOfRun[kBefore] + callsOfRun[kAfter]) / 2;
  for (const auto &[name, ns] : paths.ofNames)
    found.ofNames[name] = ns * perRun;
  found.causes = sortOut(calls, std::move(paths.changes), std::move(shift.causes), leastDeviations(calls, sums),
                         static_cast<double>(found.changeNs));
  settleSum(found);
  return found;
}

namespace {

struct FunctionChange {
  BothSides<double> ns = {}; // the statistic, summed over runs
  BothSides<uint64_t> calls = {};
  bool isChosen = false;
};

} // namespace

std::vector<std::string> mostChanged(std::span<const Report> before, std::span<const Report> after,
                                     const std::vector<std::string> &globs, Statistic statistic) {
  std::map<std::string, FunctionChange> all;
  const BothSides<std::span<const Report>> sides = {before, after};
  for (const Side side : {kBefore, kAfter})
    for (const Report &report : sides[side]) {
      std::map<std::string, std::pair<Distribution, uint64_t>> functions; // of all processes
      for (const ReportRow &row : report.rows) {
        if (!row.function)
          continue;
        auto &[durations, totalNs] = functions[row.function->displayName];
        durations.merge(row.figures.durations), totalNs += row.figures.totalNs;
        FunctionChange &change = all[row.function->displayName];
        change.isChosen = change.isChosen || globs.empty() || chosenFunctions({*row.function}, globs)[0];
      }
      for (const auto &[name, of] : functions) {
        const auto &[durations, totalNs] = of;
        if (durations.count() == 0)
          continue;
        FunctionChange &change = all[name];
        change.calls[side] += durations.count();
        change.ns[side] += statistic == Statistic::P99      ? static_cast<double>(durations.percentile(99))
                           : statistic == Statistic::Median ? static_cast<double>(durations.percentile(50))
                           : statistic == Statistic::Mean
                               ? static_cast<double>(totalNs) / static_cast<double>(durations.count())
                               : static_cast<double>(totalNs);
      }
    }
  struct Ranked {
    std::string name;
    double weight = 0;
  };
  std::vector<Ranked> ranked;
  for (const auto &[name, change] : all) {
    const uint64_t fewest = std::min(change.calls[kBefore], change.calls[kAfter]);
    if (!change.isChosen || (fewest == 0 && globs.empty()))
      continue;
    double weight = std::abs(change.ns[kAfter] / static_cast<double>(after.size()) -
                             change.ns[kBefore] / static_cast<double>(before.size()));
    if (statistic != Statistic::Total)
      weight *= static_cast<double>(fewest) / static_cast<double>(std::max(before.size(), after.size()));
    constexpr uint64_t kEnough = 20;
    ranked.push_back({name, fewest < kEnough ? weight / 2 : weight});
  }
  std::ranges::stable_sort(ranked, std::greater(), &Ranked::weight);
  std::vector<std::string> names;
  for (Ranked &of : ranked)
    names.push_back(std::move(of.name));
  return names;
}

} // namespace ada::analysis
