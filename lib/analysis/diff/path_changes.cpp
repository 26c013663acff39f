// Adds up calls by path on both sides, and divides the differences.
#include "path_changes.h"

#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/names.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ada::analysis {

namespace {

// A weighted sum over calls, and what chance alone changes it by.
struct Sum {
  double value = 0, squares = 0, products = 0; // the latter with squared weights
  void add(double weight, double by) {
    value += weight * by, squares += weight * weight * by * by, products += weight * weight * by;
  }
};

// A node's calls and time in one side's mean call.
struct NodeTime {
  Sum calls, cpu, waiting;
  double callsOfParent = 0, cpuCalls = 0, waitingCalls = 0; // sums of squared weights times products
  double belowNs = 0;                                       // cpu and waiting, with those of the nodes below
};

struct OtherTime {
  BothSides<Sum> sums;
  std::vector<double> ofRun; // by run: its own mean
};

class PathChangeSearch {
public:
  PathChangeSearch(const ExplainedCalls &calls, const std::vector<double> &sums)
      : calls_(calls), sums_(sums), children_(calls.paths.size()), reasons_(calls.reasons.size()) {
    for (auto &side : nodes_)
      side.resize(calls.paths.size());
    for (OtherTime *other : {&preempted_, &recorder_, &unknown_})
      other->ofRun.resize(calls.runs.size());
    for (OtherTime &reason : reasons_)
      reason.ofRun.resize(calls.runs.size());
    ofRun_.resize(calls.runs.size(), std::vector<RunTime>(calls.paths.size()));
    for (uint32_t node = 1; node < calls.paths.size(); ++node)
      children_[calls.paths[node].parent].push_back(node);
  }

  PathChanges run() {
    for (size_t run = 0; run < calls_.runs.size(); ++run)
      addUp(run);
    for (auto &side : nodes_)
      for (size_t node = side.size(); node-- > 0;) {
        NodeTime &time = side[node];
        time.belowNs += time.cpu.value + time.waiting.value;
        if (node > 0)
          side[calls_.paths[static_cast<uint32_t>(node)].parent].belowNs += time.belowNs;
      }
    std::vector<double> times(calls_.paths.size());
    times[PathTree::kRoot] = 1;
    for (uint32_t node = 0; node < times.size(); ++node) // callers come first
      if (times[node] > 0)
        divide(node, times);
    for (size_t reason = 0; reason < reasons_.size(); ++reason)
      addOther(CauseKind::Waiting, reasons_[reason], &reason);
    addOther(CauseKind::Preempted, preempted_);
    addOther(CauseKind::Recorder, recorder_);
    addOther(CauseKind::Unknown, unknown_);
    sumNames();
    return std::move(result_);
  }

private:
  struct RunTime {
    double calls = 0, cpu = 0, waiting = 0;
  };

  void addUp(size_t number) {
    const ExplainedRun &run = calls_.runs[number];
    const double ofSide = std::accumulate(sums_.begin() + static_cast<ptrdiff_t>(run.first),
                                          sums_.begin() + static_cast<ptrdiff_t>(run.end), 0.0);
    const auto other = [&](OtherTime &time, double weight, double ns) {
      time.sums[run.side].add(weight, ns);
      time.ofRun[number] += weight / ofSide * ns;
    };
    std::vector<double> callsOf(calls_.paths.size());
    for (size_t i = run.first; i < run.end; ++i) {
      const ExplainedCall &call = calls_.calls[i];
      const double weight = sums_[i];
      if (weight == 0)
        continue;
      for (const CallPart &part : call.parts)
        callsOf[part.node] = part.calls;
      for (const CallPart &part : call.parts) {
        NodeTime &node = nodes_[run.side][part.node];
        const double count = part.calls, cpu = static_cast<double>(part.cpuNs),
                     waiting = static_cast<double>(part.waitingNs), square = weight * weight;
        node.calls.add(weight, count), node.cpu.add(weight, cpu), node.waiting.add(weight, waiting);
        node.cpuCalls += square * cpu * count, node.waitingCalls += square * waiting * count;
        if (part.node != PathTree::kRoot)
          node.callsOfParent += square * count * callsOf[calls_.paths[part.node].parent];
        RunTime &mean = ofRun_[number][part.node];
        mean.calls += weight / ofSide * count, mean.cpu += weight / ofSide * cpu;
        mean.waiting += weight / ofSide * waiting;
      }
      for (const CallPart &part : call.parts)
        callsOf[part.node] = 0;
      for (const ReasonNs &wait : call.waits)
        other(reasons_[wait.reason], weight, static_cast<double>(wait.ns));
      other(preempted_, weight, call.preemptedNs), other(recorder_, weight, call.recorderNs);
      other(unknown_, weight, call.unknownNs);
    }
  }

  // What chance changes a ratio by, whose parts have these sums of squares and of products.
  static double errorOf(double ratio, double above, double both, double below, double divisor) {
    return std::sqrt(std::max(0.0, above - 2 * ratio * both + ratio * ratio * below)) / divisor;
  }
  static double deviationsOf(double change, double errorA, double errorB) {
    const double error = std::sqrt(errorA * errorA + errorB * errorB);
    return error > 0 ? std::abs(change) / error : std::numeric_limits<double>::infinity();
  }
  // Whether the values of all runs before are smaller than those of all runs after, or the other way round.
  template <class Value> bool areApart(const Value &value) const {
    if (std::min(calls_.runsOf[kBefore], calls_.runsOf[kAfter]) < 2)
      return true;
    BothSides<double> least, most;
    least.fill(std::numeric_limits<double>::infinity()), most.fill(-std::numeric_limits<double>::infinity());
    for (size_t run = 0; run < calls_.runs.size(); ++run) {
      const Side side = calls_.runs[run].side;
      least[side] = std::min(least[side], value(run)), most[side] = std::max(most[side], value(run));
    }
    return most[kBefore] < least[kAfter] || most[kAfter] < least[kBefore];
  }

  PathChange &add(CauseKind kind, uint32_t node, double ns, double before, double after) {
    PathChange change;
    change.kind = kind, change.node = node, change.explainsNs = ns, change.before = before, change.after = after;
    result_.changes.push_back(change);
    return result_.changes.back();
  }

  // The node is on both sides, and called `times[node]` times in a call of the function: the mean of both sides.
  void divide(uint32_t node, std::vector<double> &times) {
    const NodeTime &a = nodes_[kBefore][node], &b = nodes_[kAfter][node];
    own(CauseKind::Own, node, times[node], &NodeTime::cpu, &NodeTime::cpuCalls, &RunTime::cpu);
    own(CauseKind::Waiting, node, times[node], &NodeTime::waiting, &NodeTime::waitingCalls, &RunTime::waiting);
    for (const uint32_t child : children_[node]) {
      const NodeTime &childA = nodes_[kBefore][child], &childB = nodes_[kAfter][child];
      const bool isA = childA.calls.value > 0, isB = childB.calls.value > 0;
      if (!isA && !isB)
        continue;
      const double ratioA = childA.calls.value / a.calls.value, ratioB = childB.calls.value / b.calls.value;
      const double tookA = isA ? childA.belowNs / childA.calls.value : 0;
      const double tookB = isB ? childB.belowNs / childB.calls.value : 0;
      const double took = !isA ? tookB : !isB ? tookA : (tookA + tookB) / 2;
      if (isA && isB)
        times[child] = times[node] * (ratioA + ratioB) / 2;
      if (ratioA == ratioB)
        continue;
      PathChange &calls = add(isA && isB ? CauseKind::Calls : CauseKind::Callee, child,
                              times[node] * (ratioB - ratioA) * took, ratioA, ratioB);
      calls.eachNs = took;
      calls.deviations = deviationsOf(
          ratioB - ratioA, errorOf(ratioA, childA.calls.squares, childA.callsOfParent, a.calls.squares, a.calls.value),
          errorOf(ratioB, childB.calls.squares, childB.callsOfParent, b.calls.squares, b.calls.value));
      calls.isApart = areApart([&](size_t run) {
        const double parent = ofRun_[run][node].calls;
        return parent > 0 ? ofRun_[run][child].calls / parent : 0;
      });
    }
  }

  void own(CauseKind kind, uint32_t node, double times, Sum NodeTime::*time, double NodeTime::*product,
           double RunTime::*ofRun) {
    const NodeTime &a = nodes_[kBefore][node], &b = nodes_[kAfter][node];
    const double before = (a.*time).value / a.calls.value, after = (b.*time).value / b.calls.value;
    if (before == after)
      return;
    PathChange &change = add(kind, node, times * (after - before), before, after);
    change.deviations =
        deviationsOf(after - before, errorOf(before, (a.*time).squares, a.*product, a.calls.squares, a.calls.value),
                     errorOf(after, (b.*time).squares, b.*product, b.calls.squares, b.calls.value));
    change.isApart = areApart([&](size_t run) {
      const RunTime &mean = ofRun_[run][node];
      return mean.calls > 0 ? mean.*ofRun / mean.calls : 0;
    });
  }

  void addOther(CauseKind kind, const OtherTime &time, const size_t *reason = nullptr) {
    const Sum &a = time.sums[kBefore], &b = time.sums[kAfter];
    if (a.value == b.value)
      return;
    PathChange &change = add(kind, PathTree::kRoot, b.value - a.value, a.value, b.value);
    if (reason)
      change.reason = *reason, change.hasReason = true;
    const auto error = [&](const Sum &sum, Side side) {
      return errorOf(sum.value, sum.squares, sum.products, nodes_[side][PathTree::kRoot].calls.squares, 1);
    };
    change.deviations = deviationsOf(b.value - a.value, error(a, kBefore), error(b, kAfter));
    change.isApart = areApart([&](size_t run) { return time.ofRun[run]; });
  }

  // The outermost of calls inside one another has all.
  void sumNames() {
    std::vector<uint32_t> open(calls_.names.size()); // how often a name is on the path
    std::vector<std::pair<uint32_t, bool>> next;     // nodes to enter, or to leave
    const auto enter = [&](uint32_t node) {
      for (const uint32_t child : children_[node])
        next.emplace_back(child, false);
    };
    enter(PathTree::kRoot);
    while (!next.empty()) {
      const auto [node, isLeft] = next.back();
      next.pop_back();
      const uint32_t name = calls_.paths[node].function;
      if (isLeft) {
        --open[name];
        continue;
      }
      if (PathTree::isFunction(name)) {
        if (open[name]++ == 0)
          result_.ofNames[calls_.names[name]] += nodes_[kAfter][node].belowNs - nodes_[kBefore][node].belowNs;
        next.emplace_back(node, true);
      }
      enter(node);
    }
  }

  const ExplainedCalls &calls_;
  const std::vector<double> &sums_;
  std::vector<std::vector<uint32_t>> children_;
  BothSides<std::vector<NodeTime>> nodes_;
  std::vector<std::vector<RunTime>> ofRun_; // by run and node
  std::vector<OtherTime> reasons_;
  OtherTime preempted_, recorder_, unknown_;
  PathChanges result_;
};

} // namespace

PathChanges findPathChanges(const ExplainedCalls &calls, const std::vector<double> &sums) {
  return PathChangeSearch(calls, sums).run();
}

std::string countText(double count) {
  return count >= 100   ? fmt::format("{:.0f}", count)
         : count >= 0.1 ? fmt::format("{:.1f}", count)
                        : fmt::format("{:.2g}", count);
}
std::string meanDurationText(double ns) {
  return formatDuration(static_cast<uint64_t>(std::llround(std::max(ns, 0.0))));
}

Cause describe(const ExplainedCalls &calls, const PathChange &change) {
  Cause cause;
  cause.kind = change.kind, cause.explainsNs = change.explainsNs;
  for (uint32_t node = change.node; node != PathTree::kRoot; node = calls.paths[node].parent) {
    const uint32_t function = calls.paths[node].function;
    cause.path.push_back(PathTree::isFunction(function) ? shortName(calls.names[function]) : "…");
  }
  std::ranges::reverse(cause.path);
  const bool isDirect = cause.path.size() < 2;
  const auto times = [](double count) { return countText(count) + (count == 1 ? " time" : " times"); };
  const std::string each = ", " + meanDurationText(change.eachNs) + " each",
                    per = isDirect ? "" : " per call of " + cause.path[cause.path.size() - 2];
  const std::string fromTo = meanDurationText(change.before) + " → " + meanDurationText(change.after);
  switch (change.kind) {
  case CauseKind::Calls:
    cause.what = "called " + times(change.after) + " instead of " + countText(change.before) + per + each;
    break;
  case CauseKind::Callee:
    cause.what = change.before == 0 ? "not called before, now " + times(change.after) + per + each
                                    : "no longer called, before " + times(change.before) + per + each;
    break;
  case CauseKind::Own:
    cause.what = "own code " + fromTo + (cause.path.empty() ? "" : " per call");
    break;
  case CauseKind::Waiting:
    cause.what = (change.hasReason ? calls.reasons[change.reason] + ": " : "off-CPU ") + fromTo;
    break;
  case CauseKind::Preempted:
    cause.what = "another thread had the core: " + fromTo;
    break;
  case CauseKind::Recorder:
    cause.what = "held up by the recorder: " + fromTo;
    break;
  default:
    cause.what = "scheduling records are missing: " + fromTo;
    break;
  }
  return cause;
}

} // namespace ada::analysis
