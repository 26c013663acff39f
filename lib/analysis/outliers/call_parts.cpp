// Divides the time of sampled calls into columns.
#include "call_parts.h"

#include "trace/base/format.h"
#include "trace/names.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace ada::analysis {

namespace {

struct NodeSums {
  double slowCpu = 0, ordinaryCpu = 0;     // means for each call
  double slowCalls = 0, ordinaryCalls = 0; // likewise
};

class Division {
public:
  Division(const CallSample &sample, const CallWaits &waits, bool hasSched)
      : sample_(sample), waits_(waits), hasSched_(hasSched), sums_(sample.paths.size()), children_(sample.paths.size()),
        columnOf_(sample.paths.size()) {}

  std::vector<PartColumn> run() {
    addUp();
    columns_[column(FactorKind::Own, "its own code")].isSlower = true;
    columnOf_[PathTree::kRoot] = 0;
    for (const uint32_t child : children_[PathTree::kRoot])
      divide(child);
    fill();
    for (uint32_t node = 0; node < columnOf_.size(); ++node)
      columns_[columnOf_[node]].nodes.push_back(node);
    for (PartColumn &part : columns_) {
      uint64_t ordinaryWithIt = 0;
      for (size_t i = 0; i < sample_.calls.size(); ++i) {
        const bool isSlow = sample_.calls[i].isSlow;
        (isSlow ? part.slowMean : part.ordinaryMean) +=
            part.ns[i] / static_cast<double>(isSlow ? sample_.slow : sample_.ordinary);
        ordinaryWithIt += !isSlow && part.ns[i] > 0;
      }
      constexpr double kRare = 0.05;
      if (part.kind != FactorKind::Own && part.kind != FactorKind::Callee)
        part.isOrdinary = static_cast<double>(ordinaryWithIt) >= kRare * static_cast<double>(sample_.ordinary);
    }
    return std::move(columns_);
  }

private:
  size_t column(FactorKind kind, std::string what, bool isOrdinary = true) {
    PartColumn part;
    part.kind = kind, part.what = std::move(what), part.isOrdinary = isOrdinary;
    part.ns.resize(sample_.calls.size());
    columns_.push_back(std::move(part));
    return columns_.size() - 1;
  }

  void addUp() {
    for (uint32_t node = 1; node < sample_.paths.size(); ++node)
      children_[sample_.paths[node].parent].push_back(node);
    for (const SampledCall &call : sample_.calls) {
      const double weight = 1.0 / static_cast<double>(call.isSlow ? sample_.slow : sample_.ordinary);
      const double took = static_cast<double>(call.durationNs()) * weight;
      (call.isSlow ? extra_ : ordinary_) += took;
      for (const CallPart &part : call.parts) {
        NodeSums &sums = sums_[part.node];
        (call.isSlow ? sums.slowCpu : sums.ordinaryCpu) += static_cast<double>(part.cpuNs + part.waitingNs) * weight;
        (call.isSlow ? sums.slowCalls : sums.ordinaryCalls) += static_cast<double>(part.calls) * weight;
      }
    }
    extra_ -= ordinary_;
    below_ = sums_;
    for (size_t node = sums_.size(); node-- > 1;) { // children come after their parents
      NodeSums &parent = below_[sample_.paths[static_cast<uint32_t>(node)].parent];
      parent.slowCpu += below_[node].slowCpu, parent.ordinaryCpu += below_[node].ordinaryCpu;
    }
  }

  // "parse() > read()" from the function downwards.
  std::string pathText(uint32_t node) const {
    std::vector<std::string> names;
    for (uint32_t at = node; at != PathTree::kRoot; at = sample_.paths[at].parent) {
      const uint32_t function = sample_.paths[at].function;
      names.push_back(PathTree::isFunction(function) ? shortName(sample_.names[function]) : "…");
    }
    std::string text;
    for (size_t i = names.size(); i-- > 0;)
      text += (text.empty() ? "" : " > ") + names[i];
    return text;
  }

  void assign(uint32_t node, size_t column) {
    columnOf_[node] = column;
    for (const uint32_t child : children_[node])
      assign(child, column);
  }

  // Finds columns for a path and everything below it. What hardly matters counts as the caller's own code.
  void divide(uint32_t node) {
    const NodeSums &all = below_[node], &own = sums_[node];
    constexpr double kSmall = 0.02, kSlower = 2; // of the extra time; by call
    if (std::abs(all.slowCpu - all.ordinaryCpu) < kSmall * extra_ && !hasLargePart(node, kSmall * extra_))
      return assign(node, columnOf_[sample_.paths[node].parent]);
    if (own.slowCalls >= 1.5 * own.ordinaryCalls) {
      const bool isNew = own.ordinaryCalls < 0.01;
      const std::string how = isNew ? fmt::format("{}, which ordinary calls do not call", pathText(node))
                                    : fmt::format("{}, called {:.1f} times instead of {:.1f}", pathText(node),
                                                  own.slowCalls, own.ordinaryCalls);
      const size_t whole = column(FactorKind::Callee, how, own.ordinaryCalls >= 0.05);
      columns_[whole].isMore = all.slowCpu * own.ordinaryCalls < kSlower * all.ordinaryCpu * own.slowCalls;
      if (isNew || columns_[whole].isMore)
        return assign(node, whole);
      columnOf_[node] = whole; // they take longer as well: what they call says why
    } else {
      columnOf_[node] = column(FactorKind::Callee, pathText(node) + ", slower");
      columns_[columnOf_[node]].isSlower = true;
    }
    for (const uint32_t child : children_[node])
      divide(child);
  }
  bool hasLargePart(uint32_t node, double ns) const {
    return std::ranges::any_of(children_[node], [&](uint32_t child) {
      return std::abs(below_[child].slowCpu - below_[child].ordinaryCpu) >= ns || hasLargePart(child, ns);
    });
  }

  void fill() {
    constexpr size_t kNone = ~size_t(0);
    size_t preempted = kNone, late = kNone, unknown = kNone;
    const auto add = [&](size_t &number, FactorKind kind, const char *what, size_t call, uint64_t ns) {
      if (ns == 0)
        return;
      if (number == kNone)
        number = column(kind, what);
      columns_[number].ns[call] += static_cast<double>(ns);
    };
    std::unordered_map<size_t, size_t> ofReason; // columns
    std::unordered_map<uint32_t, size_t> ofNode; // columns of waits for nothing known
    const std::vector<std::vector<const CallWait *>> waitsOf = waitsByCall(sample_, waits_);
    for (size_t i = 0; i < sample_.calls.size(); ++i) {
      const SampledCall &call = sample_.calls[i];
      std::vector<CallPart> parts = call.parts;
      for (const ReasonNs &taken : takeWaits(sample_, waitsOf[i], hasSched_, parts)) {
        const auto [at, isNew] = ofReason.try_emplace(taken.reason, 0);
        if (isNew) {
          const WaitReason &reason = waits_.reasons[taken.reason];
          at->second = column(FactorKind::Waiting, reason.text);
          columns_.back().isAlone = reason.isAlone, columns_.back().mayBeLate = reason.mayBeLate;
          columns_.back().object = reason.object;
        }
        columns_[at->second].ns[i] += static_cast<double>(taken.ns - taken.lateNs);
        add(late, FactorKind::Preempted, "it slept for longer than it asked to", i, taken.lateNs);
        if (late != kNone)
          columns_[late].isLate = true;
      }
      for (const CallPart &part : parts) {
        columns_[columnOf_[part.node]].ns[i] += static_cast<double>(part.cpuNs);
        if (part.waitingNs == 0)
          continue;
        const auto [at, isNew] = ofNode.try_emplace(part.node, 0);
        if (isNew)
          at->second = column(FactorKind::Waiting, part.node == PathTree::kRoot ? std::string("off-CPU in its own code")
                                                                                : "off-CPU in " + pathText(part.node)),
          columns_.back().isAlone = true;
        columns_[at->second].ns[i] += static_cast<double>(part.waitingNs);
      }
      add(preempted, FactorKind::Preempted, "another thread had the core", i, call.preemptedNs);
      add(unknown, FactorKind::Unknown, "scheduling records are missing", i, call.unknownNs);
    }
  }

  const CallSample &sample_;
  const CallWaits &waits_;
  bool hasSched_;
  double extra_ = 0, ordinary_ = 0;
  std::vector<NodeSums> sums_, below_; // by node: of its own code; of everything below as well
  std::vector<std::vector<uint32_t>> children_;
  std::vector<size_t> columnOf_;
  std::vector<PartColumn> columns_;
};

} // namespace

std::vector<std::vector<const CallWait *>> waitsByCall(const CallSample &sample, const CallWaits &waits) {
  std::vector<std::vector<const CallWait *>> byCall(sample.calls.size());
  for (const CallWait &wait : waits.waits)
    byCall[wait.call].push_back(&wait);
  return byCall;
}

std::vector<ReasonNs> takeWaits(const CallSample &sample, const std::vector<const CallWait *> &ofCall, bool hasSched,
                                std::vector<CallPart> &parts) {
  std::vector<ReasonNs> all;
  for (const CallWait *wait : ofCall) {
    uint64_t left = wait->ns;
    // Off-CPU time of the library function first. Without scheduling records its time counts as on-CPU so far.
    const auto take = [&](uint64_t CallPart::*from, bool anywhere) {
      for (CallPart &part : parts) {
        const uint32_t function = sample.paths[part.node].function;
        const bool isIt =
            part.node != PathTree::kRoot && PathTree::isFunction(function) && sample.names[function] == wait->library;
        if (!isIt && !anywhere)
          continue;
        const uint64_t taken = std::min(left, part.*from);
        part.*from -= taken, left -= taken;
      }
    };
    take(&CallPart::waitingNs, false);
    if (hasSched)
      take(&CallPart::waitingNs, true);
    else
      take(&CallPart::cpuNs, false);
    if (left < wait->ns)
      all.push_back({wait->reason, wait->ns - left, std::min(wait->lateNs, wait->ns - left)});
  }
  return all;
}

std::vector<PartColumn> divideCalls(const CallSample &sample, const CallWaits &waits, bool hasSched) {
  return Division(sample, waits, hasSched).run();
}

} // namespace ada::analysis
