// Calls that get slower with an argument, and calls made again and again with the same arguments.
#include "detectors.h"

#include "analysis/calls/call_reader.h"
#include "analysis/events/early_end.h"
#include "analysis/outliers/call_properties.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace ada::analysis {

namespace {

constexpr size_t kMaxValued = 8; // whose values are read

//===--- slower with an argument ------------------------------------------===//

struct Slope {
  std::string argument;
  double stakeNs = 0, correlation = 0;
  double lowest = 0, highest = 0, lowNs = 0, highNs = 0;
};

// The places of the values, in ascending order of these.
std::vector<size_t> ascending(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  return order;
}

std::vector<double> ranksOf(const std::vector<double> &values) {
  const std::vector<size_t> order = ascending(values);
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]])
      ++end;
    for (size_t j = i; j < end; ++j)
      ranks[order[j]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

double correlationOf(const std::vector<double> &a, const std::vector<double> &b) {
  double meanA = 0, meanB = 0, ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i)
    meanA += a[i] / static_cast<double>(a.size()), meanB += b[i] / static_cast<double>(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - meanA) * (b[i] - meanB);
    aa += (a[i] - meanA) * (a[i] - meanA), bb += (b[i] - meanB) * (b[i] - meanB);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

// The durations are those of a sample, without calls that had no core for most of the time.
std::optional<Slope> slopeOf(const std::string &name, const std::vector<double> &values,
                             const std::vector<double> &durations, const FunctionCost &cost) {
  constexpr size_t kLeastValues = 50;
  constexpr double kLeastCorrelation = 0.8, kLeastFactor = 1.5;
  if (values.size() < kLeastValues)
    return std::nullopt;
  Slope slope{.argument = name, .correlation = correlationOf(ranksOf(values), ranksOf(durations))};
  if (slope.correlation < kLeastCorrelation)
    return std::nullopt;
  const std::vector<size_t> order = ascending(values);
  // The cost at the lowest value: a line through the lowest third.
  const size_t third = order.size() / 3, tenth = order.size() / 10;
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(third);
  for (size_t i = 0; i < third; ++i) {
    const double value = values[order[i]], ns = durations[order[i]];
    x += value, y += ns, xx += value * value, xy += value * ns;
  }
  slope.lowest = values[order.front()], slope.highest = values[order.back()];
  double lowTenth = 0, highTenth = 0;
  for (size_t i = 0; i < tenth; ++i)
    lowTenth += durations[order[i]] / static_cast<double>(tenth),
        highTenth += durations[order[order.size() - 1 - i]] / static_cast<double>(tenth);
  const double divisor = n * xx - x * x;
  const double rise = divisor > 0 ? std::max(0.0, (n * xy - x * y) / divisor) : 0;
  slope.lowNs = std::clamp((y - rise * x) / n + rise * slope.lowest, 0.0, lowTenth);
  slope.highNs = highTenth;
  if (highTenth < kLeastFactor * std::max(lowTenth, 1.0))
    return std::nullopt;
  const uint64_t preemptedNs = std::min(cost.sum.preemptedNs, cost.sum.totalNs);
  const double lowestNs = slope.lowNs * static_cast<double>(cost.durations.count());
  slope.stakeNs = std::max(0.0, static_cast<double>(cost.sum.totalNs - preemptedNs) - lowestNs) * cost.sum.perCore();
  return slope;
}

} // namespace

std::vector<uint32_t> functionsThatVary(const SessionFacts &facts) {
  const auto &functions = facts.profile.functions;
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    const FunctionCost &cost = functions[i];
    const bool varies = cost.durations.quantile(0.95) > 2 * cost.durations.quantile(0.1);
    if (!cost.isLibrary && varies && cost.sum.calls >= kLeastRequests && facts.isEnough(cost.sum.totalNs))
      order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](uint32_t i) { return functions[i].sum.totalNs; });
  order.resize(std::min(order.size(), kMaxValued));
  return order;
}

Expected<void> findSlowerWithArgument(const SessionFacts &facts, std::span<const uint32_t> varying,
                                      const ReadTimes &times, FindingList &found) {
  const auto &functions = facts.profile.functions;
  std::optional<Slope> best;
  uint32_t bestFunction = kNobody;
  for (const uint32_t function : varying) {
    const FunctionTimes *const of = timesOf(times, functions[function]);
    if (!of)
      continue;
    constexpr size_t kMaxCalls = 300;
    const CallTimes all = of->withoutPreemption();
    CallSample sample;
    std::vector<double> durations;
    for (const TimedCall &call : all.choose(0, ~uint64_t{0}, kMaxCalls)) {
      SampledCall sampled;
      sampled.thread = call.thread, sampled.beginSeq = call.beginSeq, sampled.endSeq = call.endSeq;
      sampled.beginNs = call.beginNs, sampled.endNs = call.endNs;
      sample.calls.push_back(std::move(sampled));
      durations.push_back(static_cast<double>(call.ns));
    }
    sample.ordinary = sample.calls.size();
    const CallValues values = ADA_TRY(valuesOf(facts.trace.source, facts.trace.table, sample, kMaxCalls));
    std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> byName;
    for (size_t i = 0; i < values.size(); ++i)
      for (const auto &[name, value] : values[i])
        if (const double *number = std::get_if<double>(&value); number && name != "result")
          byName[name].first.push_back(*number), byName[name].second.push_back(durations[i]);
    for (const auto &[name, lists] : byName) {
      const auto slope = slopeOf(name, lists.first, lists.second, functions[function]);
      constexpr double kMost = 0.8; // the innermost function that has most of it
      if (slope && facts.isEnough(static_cast<uint64_t>(slope->stakeNs)) &&
          (!best || slope->stakeNs >= kMost * best->stakeNs))
        best = slope, bestFunction = function;
    }
  }
  if (!best)
    return {};
  Finding finding;
  finding.kind = FindingKind::SlowerWithArgument, finding.sure = Sure::Likely;
  finding.function = facts.shortOf(bestFunction);
  finding.object = best->argument;
  finding.stakeNs = static_cast<uint64_t>(best->stakeNs), finding.totalNs = facts.totalNs();
  finding.text = fmt::format("calls of {} get slower with {}: {} at {:.6g}, {} at {:.6g}", finding.function,
                             best->argument, formatDuration(static_cast<uint64_t>(best->lowNs)), best->lowest,
                             formatDuration(static_cast<uint64_t>(best->highNs)), best->highest);
  finding.evidence.push_back(fmt::format("rank correlation {:.2f} in a sample of its calls", best->correlation));
  finding.command = facts.commandFor("report --args --limit=10", finding.function);
  found.push_back(std::move(finding));
  return {};
}

//===--- repeated calls ---------------------------------------------------===//

namespace {

// Reads what some calls of one function called directly, with which arguments.
class InsideReader : public TableSink {
public:
  InsideReader(TraceTable &table, const std::string &callee)
      : TableSink(table), callee_(callee), rules_(all_, table), values_(table), calls_(*this, rules_, &values_) {}

  using TableSink::begin;
  bool wantsDetails() const override { return true; }
  Expected<void> events(const model::Batch &batch) override {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events)
      if (!event.isEarlier)
        calls_.take(seq++, event, batch);
    return {};
  }
  // Called by CallReader.
  void begin(uint64_t, const model::Event &call, bool, std::string &&arguments) {
    if (depth_++ != 1 || table().functions[call.function].displayName != callee_)
      return;
    ++made, known += !arguments.empty();
    ++byArguments_[std::move(arguments)];
  }
  void end(const Span &, bool, std::string &&) { --depth_; }
  void finishCall() {
    calls_.finish();
    for (const auto &[arguments, count] : byArguments_) {
      repeated += arguments.empty() ? 0 : count - 1;
      if (count > most && !arguments.empty())
        most = count, example = arguments;
    }
    byArguments_.clear();
  }

  uint64_t made = 0, known = 0, repeated = 0, most = 0;
  std::string example;

private:
  const std::string callee_;
  const FilterOptions all_;
  FunctionRules rules_;
  ValueTexts values_;
  CallReader<InsideReader> calls_;
  uint32_t depth_ = 0;
  std::unordered_map<std::string, uint64_t> byArguments_;
};

} // namespace

std::vector<uint32_t> pathsThatRepeat(const SessionFacts &facts) {
  const SessionProfile &profile = facts.profile;
  constexpr uint64_t kLeastTimes = 4;
  std::vector<uint32_t> order;
  for (uint32_t node = 1; node < profile.paths.size(); ++node) {
    const uint32_t parent = profile.paths[node].parent;
    const PathCost &cost = profile.costs[node];
    if (parent != PathTree::kRoot && profile.isOwn(node) && profile.isOwn(parent) && facts.isEnough(cost.totalNs) &&
        (profile.requests.empty() || profile.isInRequest[parent]) && profile.costs[parent].calls > 0 &&
        cost.calls >= kLeastTimes * profile.costs[parent].calls)
      order.push_back(node);
  }
  std::ranges::stable_sort(order, std::greater(), [&](uint32_t node) { return profile.costs[node].totalNs; });
  order.resize(std::min(order.size(), kMaxValued));
  return order;
}

Expected<void> findRepeatedCalls(const SessionFacts &facts, std::span<const uint32_t> repeating, const ReadTimes &times,
                                 FindingList &found) {
  const SessionProfile &profile = facts.profile;
  for (const uint32_t node : repeating) {
    const uint32_t function = profile.paths[node].function, caller = profile.callerOf(node);
    const FunctionTimes *const of = timesOf(times, profile.functions[caller]);
    if (!of)
      continue;
    constexpr size_t kMaxCalls = 40;
    constexpr uint64_t kMaxEvents = 100'000; // of a call
    InsideReader reader(facts.trace.table, profile.functions[function].name);
    for (const TimedCall &call : of->all().choose(0, ~uint64_t{0}, kMaxCalls)) {
      model::ReadRequest request;
      request.threads = {call.thread};
      request.fromSeq = call.beginSeq, request.toSeq = std::min(call.endSeq + 1, call.beginSeq + kMaxEvents);
      request.isFurther = true;
      ADA_TRY(facts.trace.source.readPart(reader, request));
      reader.finishCall();
    }
    const PathCost &cost = profile.costs[node];
    const double repeated = reader.made ? static_cast<double>(reader.repeated) / static_cast<double>(reader.made) : 0;
    const auto stakeNs = static_cast<uint64_t>(repeated * static_cast<double>(cost.totalNs));
    constexpr double kLeastRepeated = 0.5;
    if (repeated < kLeastRepeated || !facts.isEnough(stakeNs))
      continue;
    Finding finding;
    finding.kind = FindingKind::RepeatedCalls, finding.sure = Sure::Certain;
    finding.function = facts.shortOf(function);
    finding.stakeNs = stakeNs, finding.totalNs = facts.totalNs();
    finding.text = fmt::format(
        "{} calls {} {} in each call, {} of them with the same arguments: {} in total", facts.shortOf(caller),
        finding.function,
        formatCount(cost.calls / std::max<uint64_t>(profile.costs[profile.paths[node].parent].calls, 1), "time"),
        formatShare(repeated), formatDuration(stakeNs));
    finding.evidence.push_back(fmt::format("{} with {} in one call", formatCount(reader.most, "time"), reader.example));
    finding.command = facts.commandFor("report --args --limit=10", finding.function);
    found.push_back(std::move(finding));
    return {};
  }
  return {};
}

} // namespace ada::analysis
