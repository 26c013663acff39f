// Follows a process back through the children that it waited for.
#include "process_chain.h"

#include "command_shape.h"

#include <algorithm>
#include <functional>
#include <map>

namespace ada::analysis {

namespace {

const OffCpuLane *mainLane(const Execution &execution, const TraceTable &table) {
  const uint32_t thread = execution.mainThread;
  return thread != kNoProcess && table.threads[thread].knowsSched() ? table.threads[thread].offCpu.get() : nullptr;
}

// The times of the main threads of what it executed; nothing if those of one are not known.
std::optional<OffCpuTimes> mainTimes(const ProcessRun &run, const TraceTable &table, uint64_t fromNs, uint64_t toNs) {
  OffCpuTimes times;
  for (size_t i = 0; i < run.executions.size(); ++i) {
    const uint64_t from = i ? std::max(fromNs, run.executions[i].beginNs) : fromNs;
    const uint64_t to = i + 1 < run.executions.size() ? std::min(toNs, run.executions[i + 1].beginNs) : toNs;
    if (from >= to)
      continue;
    const OffCpuLane *lane = mainLane(run.executions[i], table);
    if (!lane)
      return std::nullopt;
    times += lane->timesBetween(from, to);
  }
  return times;
}

class Chain {
public:
  Chain(const ProcessList &list, const TraceTable &table) : list_(list), table_(table), children_(list.children()) {
    for (std::vector<uint32_t> &runs : children_) // the last to end comes last
      std::ranges::stable_sort(runs, {}, [&](uint32_t run) { return list_.all[run].endNs; });
  }

  std::vector<ChainStep> follow(uint32_t asked) {
    const bool isSession = asked == kNoProcess;
    enter(asked, isSession ? ChainLink::Nothing : ChainLink::Asked,
          isSession ? list_.beginNs : list_.all[asked].beginNs, isSession ? list_.endNs : list_.all[asked].endNs);
    while (!open_.empty()) {
      Level &level = open_.back();
      const uint32_t child = lastWaitedFor(level);
      if (child == kNoProcess) {
        step(level, level.fromNs);
        open_.pop_back();
        continue;
      }
      const ProcessRun &run = list_.all[child];
      step(level, run.endNs);
      level.toNs = std::max(run.beginNs, level.fromNs);
      enter(child, level.run == kNoProcess ? ChainLink::Order : ChainLink::Inferred, level.toNs, run.endNs);
    }
    std::ranges::reverse(steps_);
    return std::move(steps_);
  }

private:
  struct Level {
    uint32_t run;
    ChainLink link;
    uint64_t fromNs, toNs; // what is left of it
    size_t children;       // those before this one may still be in the chain
  };

  const std::vector<uint32_t> &childrenOf(uint32_t run) const {
    return run == kNoProcess ? children_.back() : children_[run];
  }
  void enter(uint32_t run, ChainLink link, uint64_t fromNs, uint64_t toNs) {
    open_.push_back({run, link, fromNs, toNs, childrenOf(run).size()});
  }
  void step(const Level &level, uint64_t fromNs) {
    if (fromNs < level.toNs)
      steps_.push_back({level.run, level.link, fromNs, level.toNs});
  }

  // The child that ended last of those that the process waited for in the time that is left.
  uint32_t lastWaitedFor(Level &level) const {
    const std::vector<uint32_t> &children = childrenOf(level.run);
    while (level.children > 0) {
      const uint32_t child = children[--level.children];
      const ProcessRun &run = list_.all[child];
      if (run.endNs <= level.fromNs)
        break;
      if (run.endNs <= level.toNs && run.beginNs < run.endNs &&
          (level.run == kNoProcess || isWaitedFor(level.run, run)))
        return child;
    }
    return kNoProcess;
  }
  bool isWaitedFor(uint32_t parent, const ProcessRun &child) const {
    const OffCpuLane *lane = mainLane(list_.all[parent].executionAt(child.endNs), table_);
    if (!lane)
      return false;
    for (const OffCpu &off : lane->between(child.endNs, child.endNs + 1))
      if (off.why == OffCpu::Why::Waiting && off.toNs - child.endNs <= kEndToWakeNs)
        return true;
    return false;
  }

  const ProcessList &list_;
  const TraceTable &table_;
  std::vector<std::vector<uint32_t>> children_;
  std::vector<Level> open_;
  std::vector<ChainStep> steps_;
};

} // namespace

std::string_view chainLinkName(ChainLink link) {
  return link == ChainLink::Asked      ? "asked"
         : link == ChainLink::Inferred ? "inferred"
         : link == ChainLink::Order    ? "order"
                                       : "nothing";
}

std::vector<ChainStep> chainOf(const ProcessList &list, const TraceTable &table, uint32_t run) {
  return Chain(list, table).follow(run);
}

std::vector<ChainRow> foldChain(const ProcessList &list, const TraceTable &table, const std::vector<ChainStep> &steps) {
  std::vector<bool> isParent(list.all.size());
  for (const ProcessRun &run : list.all)
    if (run.parent != kNoProcess)
      isParent[run.parent] = true;
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
    if (!off && isParent[step.run])
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
