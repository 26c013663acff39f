// Follows a process back through the children that it waited for.
#include "process_chain.h"

#include "command_shape.h"
#include "process_pipes.h"

#include <algorithm>
#include <functional>
#include <map>

namespace ada::analysis {

namespace {

// When the main thread was off-CPU, part by part; nothing if that is not known of one.
std::vector<const OffCpuLane *> mainLanes(const Execution &execution, const TraceTable &table) {
  std::vector<const OffCpuLane *> lanes;
  for (const uint32_t thread : execution.mainThreads) {
    if (!table.threads[thread].knowsSched())
      return {};
    lanes.push_back(table.threads[thread].offCpu.get());
  }
  return lanes;
}

// The times of the main threads of what it executed; nothing if those of one are not known.
std::optional<OffCpuTimes> mainTimes(const ProcessRun &run, const TraceTable &table, uint64_t fromNs, uint64_t toNs) {
  OffCpuTimes times;
  for (size_t i = 0; i < run.executions.size(); ++i) {
    const uint64_t from = i ? std::max(fromNs, run.executions[i].beginNs) : fromNs;
    const uint64_t to = i + 1 < run.executions.size() ? std::min(toNs, run.executions[i + 1].beginNs) : toNs;
    if (from >= to)
      continue;
    const std::vector<const OffCpuLane *> lanes = mainLanes(run.executions[i], table);
    if (lanes.empty())
      return std::nullopt;
    for (size_t part = 0; part < lanes.size(); ++part) {
      const uint64_t partFrom = part ? std::max(from, lanes[part]->knownFromNs()) : from;
      const uint64_t partTo = part + 1 < lanes.size() ? std::min(to, lanes[part + 1]->knownFromNs()) : to;
      if (partFrom < partTo)
        times += lanes[part]->timesBetween(partFrom, partTo);
    }
  }
  return times;
}

// Goes back in time. The path has the process that the chain is in now, and before it those that it came through, each
// once: a process that is met again is gone back to, because two that have a pipe may wait for each other many times.
class Chain {
public:
  Chain(const ProcessList &list, const TraceTable &table)
      : list_(list), table_(table), pipes_(list, table), children_(list.children()) {
    for (std::vector<uint32_t> &runs : children_) { // the last to end comes last
      std::ranges::stable_sort(runs, {}, [&](uint32_t run) { return list_.all[run].endNs; });
      left_.push_back(runs.size());
    }
  }

  std::vector<ChainStep> follow(uint32_t asked) {
    const bool isSession = asked == kNoProcess;
    fromNs_ = isSession ? list_.beginNs : list_.all[asked].beginNs;
    atNs_ = isSession ? list_.endNs : list_.all[asked].endNs;
    enter(asked, isSession ? ChainLink::Nothing : ChainLink::Asked);
    while (!path_.empty() && atNs_ > fromNs_) {
      const Cause cause = lastCause(path_.back().run);
      step(cause.run == kNoProcess ? beginOf(path_.back().run) : cause.ns);
      if (cause.run == kNoProcess)
        leave();
      else
        enter(cause.run, cause.link);
    }
    std::ranges::reverse(steps_);
    return std::move(steps_);
  }

private:
  struct Level {
    uint32_t run;
    ChainLink link;
  };
  // Why a process went on.
  struct Cause {
    uint32_t run = kNoProcess;
    uint64_t ns = 0;
    ChainLink link = ChainLink::Nothing;
  };

  uint64_t beginOf(uint32_t run) const {
    return run == kNoProcess ? fromNs_ : std::max(list_.all[run].beginNs, fromNs_);
  }

  bool goBackTo(uint32_t run) {
    const auto known = std::ranges::find(path_, run, &Level::run);
    if (known == path_.end())
      return false;
    path_.erase(known + 1, path_.end());
    return true;
  }
  void enter(uint32_t run, ChainLink link) {
    if (!goBackTo(run))
      path_.push_back({run, links_.try_emplace(run, link).first->second});
  }
  // Before its begin, there was its parent. If that is unknown, the process that waited for it waited already.
  void leave() {
    const uint32_t run = path_.back().run, parent = run == kNoProcess ? kNoProcess : list_.all[run].parent;
    path_.pop_back();
    if (parent != kNoProcess)
      enter(parent, ChainLink::Started);
    else
      goBackTo(kNoProcess);
  }
  void step(uint64_t fromNs) {
    if (fromNs >= atNs_)
      return;
    const uint32_t run = path_.back().run;
    const bool mayWait = run != kNoProcess && (!children_[run].empty() || pipes_.hasPeers(run));
    steps_.push_back({run, path_.back().link, fromNs, atNs_, mayWait});
    atNs_ = fromNs;
  }

  Cause lastCause(uint32_t run) {
    const Cause child = lastChild(run), wake = run == kNoProcess ? Cause() : lastWake(run, child.ns);
    return wake.ns > child.ns ? wake : child;
  }
  // The child that ended last of those that the process waited for in the time that is left.
  Cause lastChild(uint32_t run) {
    const size_t parent = std::min<size_t>(run, list_.all.size());
    for (size_t &left = left_[parent]; left > 0; --left) {
      const uint32_t child = children_[parent][left - 1];
      const ProcessRun &about = list_.all[child];
      if (about.endNs <= beginOf(run))
        break;
      if (about.endNs <= atNs_ && about.beginNs < about.endNs && (run == kNoProcess || isWaitedFor(run, about)))
        return {child, about.endNs, run == kNoProcess ? ChainLink::Order : ChainLink::Inferred};
    }
    return {};
  }
  bool isWaitedFor(uint32_t parent, const ProcessRun &child) const {
    for (const OffCpuLane *lane : mainLanes(list_.all[parent].executionAt(child.endNs), table_))
      for (const OffCpu &off : lane->between(child.endNs, child.endNs + 1))
        if (off.why == OffCpu::Why::Waiting && off.toNs - child.endNs <= kEndToWakeNs)
          return true;
    return false;
  }
  Cause lastWakeIn(const OffCpuLane &lane, uint32_t run, uint64_t afterNs) const {
    const std::span<const OffCpu> periods = lane.periods();
    // Not one that ends now: two processes, each with a thread that waits and one that runs, would take turns.
    auto at = std::ranges::lower_bound(periods, atNs_, {}, &OffCpu::toNs);
    while (at != periods.begin() && (--at)->toNs > afterNs)
      if (at->why == OffCpu::Why::Waiting)
        if (const PipeWake wake = pipes_.wakeOf(run, at->fromNs, at->toNs); wake.ns > afterNs)
          return {wake.run, wake.ns, ChainLink::Pipe};
    return {};
  }
  // The last wait after `afterNs` that a process at the other end of a pipe ended.
  Cause lastWake(uint32_t run, uint64_t afterNs) const {
    if (!pipes_.hasPeers(run))
      return {};
    const std::vector<Execution> &executions = list_.all[run].executions;
    afterNs = std::max(afterNs, beginOf(run));
    for (size_t i = executions.size(); i-- > 0;)
      if (executions[i].beginNs < atNs_) {
        const std::vector<const OffCpuLane *> lanes = mainLanes(executions[i], table_);
        for (size_t part = lanes.size(); part-- > 0;)
          if (const Cause wake = lastWakeIn(*lanes[part], run, afterNs); wake.ns)
            return wake;
      }
    return {};
  }

  const ProcessList &list_;
  const TraceTable &table_;
  const ProcessPipes pipes_;
  std::vector<std::vector<uint32_t>> children_;
  std::vector<size_t> left_; // by parent: children after these can no longer be in the chain
  uint64_t fromNs_ = 0, atNs_ = 0;
  std::vector<Level> path_;
  std::map<uint32_t, ChainLink> links_; // a process has one, however often it is met
  std::vector<ChainStep> steps_;
};

} // namespace

std::string_view chainLinkName(ChainLink link) {
  return link == ChainLink::Asked      ? "asked"
         : link == ChainLink::Inferred ? "inferred"
         : link == ChainLink::Pipe     ? "pipe"
         : link == ChainLink::Started  ? "started"
         : link == ChainLink::Order    ? "order"
                                       : "nothing";
}

std::vector<ChainStep> chainOf(const ProcessList &list, const TraceTable &table, uint32_t run) {
  return Chain(list, table).follow(run);
}

std::vector<ChainRow> foldChain(const ProcessList &list, const TraceTable &table, const std::vector<ChainStep> &steps) {
  std::vector<ChainRow> rows;
  std::map<std::pair<ChainLink, std::string>, size_t> known;
  for (const ChainStep &step : steps) {
    const ProcessRun *run = step.run == kNoProcess ? nullptr : &list.all[step.run];
    std::string shape = run ? commandShape(run->last().program, run->last().arguments) : std::string();
    const auto [at, isNew] = known.try_emplace({step.link, std::move(shape)}, rows.size());
    if (isNew) {
      rows.emplace_back().off.emplace();
      rows.back().link = step.link;
    }
    ChainRow &row = rows[at->second];
    row.ns += step.toNs - step.fromNs;
    if (!run)
      continue;
    if (std::ranges::find(row.runs.rbegin(), row.runs.rend(), step.run) == row.runs.rend())
      row.runs.push_back(step.run);
    row.command = row.runs.size() == 1 ? commandText(run->last().program, run->last().arguments) : at->first.second;
    const std::optional<OffCpuTimes> off = mainTimes(*run, table, step.fromNs, step.toNs);
    if (off && row.off)
      *row.off += *off;
    else
      row.off.reset();
    if (!off && step.mayWait)
      row.unknownNs += step.toNs - step.fromNs;
  }
  for (ChainRow &row : rows)
    if (row.runs.empty())
      row.off.reset();
  std::ranges::stable_sort(rows, std::greater(), &ChainRow::ns);
  return rows;
}

CpuUse cpuUse(const ProcessList &list, const TraceTable &table, uint64_t fromNs, uint64_t toNs) {
  CpuUse use;
  use.aloneNs.resize(list.all.size());
  struct Change {
    uint64_t ns;
    uint32_t run;
    bool isBegin;
  };
  std::vector<Change> changes;
  for (const model::Thread &thread : table.threads)
    if (thread.knowsSched())
      for (const OnCpu &on : thread.offCpu->runs())
        if (const uint64_t from = std::max(on.fromNs, fromNs), to = std::min(on.toNs, toNs); from < to) {
          changes.push_back({from, list.runOf[thread.process], true});
          changes.push_back({to, list.runOf[thread.process], false});
        }
  use.untold = static_cast<uint64_t>(std::ranges::count_if(
      list.all, [&](const ProcessRun &run) { return !run.onCpuNs && run.endNs > fromNs && run.beginNs < toNs; }));
  std::ranges::sort(changes, {}, [](const Change &change) { return std::pair(change.ns, change.isBegin); });
  // The sum of the numbers of those that are on-CPU is the number of the only one.
  uint64_t sinceNs = fromNs, sum = 0;
  size_t running = 0;
  const auto passTo = [&](uint64_t ns) {
    if (use.atOnceNs.size() <= running)
      use.atOnceNs.resize(running + 1);
    use.atOnceNs[running] += ns - sinceNs;
    if (running == 1)
      use.aloneNs[sum] += ns - sinceNs;
    sinceNs = ns;
  };
  for (const Change &change : changes) {
    passTo(change.ns);
    running = change.isBegin ? running + 1 : running - 1;
    sum = change.isBegin ? sum + change.run : sum - change.run;
  }
  passTo(std::max(toNs, sinceNs));
  return use;
}

} // namespace ada::analysis
