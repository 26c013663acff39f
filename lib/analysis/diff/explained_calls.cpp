// Reads the calls of a function in one run, and puts runs together.
#include "explained_calls.h"

#include "trace/base/try.h"

#include <algorithm>
#include <unordered_map>

namespace ada::analysis {

Expected<ExplainRun> readExplainRun(const Trace &trace, const std::string &function, size_t mostSampled,
                                    uint64_t fromNs, uint64_t toNs, Damage &damage) {
  ExplainRun run;
  const TimesWanted wanted{
      .globs = {}, .names = {function}, .fromNs = fromNs, .toNs = toNs, .asked = {}, .withRecorder = true};
  const ReadTimes times = ADA_TRY(readTimes(trace, wanted, damage));
  if (times.functions.empty())
    return run;
  const FunctionTimes &of = times.functions.front();
  run.times = of.all();
  const uint64_t count = run.times.count();
  // Causes of slow calls are rare, so these get a sample of their own.
  SlowLimits limits;
  limits.slowFromNs = std::max<uint64_t>(run.times.at(count - 1 - count / 50), 1);
  limits.slow = run.times.countFrom(limits.slowFromNs);
  limits.ordinary = count - limits.slow;
  limits.ordinaryFromNs = 0, limits.ordinaryToNs = limits.slowFromNs - 1;
  limits.mostSampled = mostSampled;
  run.sample = ADA_TRY(sampleCalls(trace.source, trace.table, times, of, run.times, limits, damage));
  bool isWaiting = false;
  for (const SampledCall &call : run.sample.calls) {
    run.hasSched |= trace.table.threads[call.thread].knowsSched();
    isWaiting |= std::ranges::any_of(call.parts, [](const CallPart &part) { return part.waitingNs > 0; });
  }
  if (run.hasSched ? isWaiting : run.sample.callsWaitFunctions) {
    run.waits = ADA_TRY(waitsOf(trace.source, trace.table, run.sample));
  }
  run.values = ADA_TRY(valuesOf(trace.source, trace.table, run.sample, mostSampled));
  for (auto &of : run.values)
    of.erase("result"), of.erase("length of result"); // a result is no cause
  return run;
}

namespace {

// Each sampled call stands for the calls of its run whose durations are nearest to its own. So the sample has the run's
// distribution, however it was chosen.
void weigh(std::span<ExplainedCall> calls, const CallTimes &times) {
  const auto durations = times.longest(times.count()); // the longest first
  auto shortest = durations.rbegin();
  const auto all = static_cast<double>(times.count());
  uint64_t before = 0, upTo = 0;
  for (size_t i = 0; i < calls.size();) {
    size_t next = i + 1;
    while (next < calls.size() && calls[next].ns == calls[i].ns)
      ++next;
    const bool isLast = next == calls.size();
    while (shortest != durations.rend() &&
           (isLast || static_cast<double>(shortest->first) <= (calls[i].ns + calls[next].ns) / 2))
      upTo += (shortest++)->second;
    const double weight = static_cast<double>(upTo - before) / (all * static_cast<double>(next - i));
    for (; i < next; ++i)
      calls[i].weight = weight;
    before = upTo;
  }
}

class RunJoin {
public:
  void add(const ExplainRun &run, Side side) {
    ExplainedRun joined{side, all.calls.size(), 0, &run.times};
    std::vector<uint32_t> nodes(run.sample.paths.size(), PathTree::kRoot);
    for (uint32_t node = 1; node < nodes.size(); ++node) {
      const PathTree::Node &from = run.sample.paths[node];
      const uint32_t name = PathTree::isFunction(from.function)
                                ? numberOf(names_, all.names, run.sample.names[from.function])
                                : from.function;
      nodes[node] = all.paths.child(nodes[from.parent], name);
    }
    const auto waits = waitsByCall(run.sample, run.waits);
    for (size_t i = 0; i < run.sample.calls.size(); ++i) {
      const SampledCall &from = run.sample.calls[i];
      ExplainedCall call;
      call.ns = static_cast<double>(from.endNs - from.beginNs);
      call.preemptedNs = static_cast<double>(from.preemptedNs), call.recorderNs = static_cast<double>(from.recorderNs);
      call.unknownNs = static_cast<double>(from.unknownNs);
      call.isException = from.isException, call.values = &run.values[i];
      call.parts = from.parts;
      call.waits = takeWaits(run.sample, waits[i], run.hasSched, call.parts);
      for (CallPart &part : call.parts)
        part.node = nodes[part.node];
      for (ReasonNs &wait : call.waits)
        wait.reason = numberOf(reasons_, all.reasons, run.waits.reasons[wait.reason].kind);
      all.calls.push_back(std::move(call));
    }
    joined.end = all.calls.size();
    const std::span own = std::span(all.calls).subspan(joined.first);
    std::ranges::stable_sort(own, {}, &ExplainedCall::ns);
    weigh(own, run.times);
    all.runs.push_back(joined), ++all.runsOf[side];
  }

  ExplainedCalls all;

private:
  using Numbers = std::unordered_map<std::string, uint32_t>;
  static uint32_t numberOf(Numbers &known, std::vector<std::string> &texts, const std::string &text) {
    const auto [at, isNew] = known.try_emplace(text, static_cast<uint32_t>(texts.size()));
    if (isNew)
      texts.push_back(text);
    return at->second;
  }
  Numbers names_, reasons_;
};

} // namespace

ExplainedCalls joinRuns(std::span<const ExplainRun *const> before, std::span<const ExplainRun *const> after) {
  RunJoin join;
  for (const ExplainRun *run : before)
    join.add(*run, kBefore);
  for (const ExplainRun *run : after)
    join.add(*run, kAfter);
  return std::move(join.all);
}

} // namespace ada::analysis
