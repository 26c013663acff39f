// The rows of tables that are lists: functions, threads, processes, off-CPU times.
#include "list_tables.h"

#include "analysis/events/early_end.h"
#include "analysis/waits/wait_table.h"
#include "base/try.h"
#include "event_tables.h"
#include "stoppable_source.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace ada::query {

namespace {

Value textOrNull(const std::string &text) { return text.empty() ? Value() : Value(text); }

// Whether anything is known about when the threads of a process ran.
struct Knowledge {
  bool sched = false, recorder = false;
  void add(const model::Thread &thread) {
    sched |= thread.knowsSched();
    recorder |= thread.offCpu != nullptr;
  }
};

std::vector<Knowledge> knowledgeOf(const analysis::TraceTable &table) {
  std::vector<Knowledge> known(table.processes.size());
  for (const model::Thread &thread : table.threads)
    known[thread.process].add(thread);
  return known;
}

void addTotals(std::vector<Value> &row, const ThreadTotals &totals, const Knowledge &known) {
  row.insert(row.end(), {totals.calls, totals.totalNs(), knownIf(known.sched, totals.onCpuNs()),
                         knownIf(known.sched, totals.off.waitingNs), knownIf(known.sched, totals.off.preemptedNs),
                         knownIf(known.recorder, totals.off.recorderNs), knownIf(known.sched, totals.off.unknownNs)});
}

} // namespace

Expected<void> TraceLists::read(const TableInfo &table, const ListRequest &request, const std::atomic<bool> &stop,
                                const RowVisitor &visit) {
  const std::string_view name = table.name;
  Expected<void> done;
  if (name == "functions")
    done = readFunctions(request, stop, visit);
  else if (name == "threads")
    done = readThreads(request, stop, visit);
  else if (name == "processes")
    done = readProcesses(request, stop, visit);
  else if (name == "waits")
    done = readWaits(request, stop, visit);
  else if (name == "off_cpu")
    done = readOffCpu(request, stop, visit);
  else
    done = readEventTable(trace_, name, request, stop, visit);
  return !done && analysis::isEarlyEnd(done.error()) ? Expected<void>() : done;
}

Expected<const TraceTotals *> TraceLists::totals(const ListRequest &request, unsigned first,
                                                 const std::atomic<bool> &stop) {
  const std::lock_guard lock(mutex_);
  if (!totals_ && request.used >> first)
    totals_ = std::make_unique<TraceTotals>(ADA_TRY(totalsOf(trace_, stop)));
  return static_cast<const TraceTotals *>(totals_.get());
}

Expected<void> TraceLists::readFunctions(const ListRequest &request, const std::atomic<bool> &stop,
                                         const RowVisitor &visit) {
  const TraceTotals *totals = ADA_TRY(this->totals(request, 8, stop));
  const std::vector<Knowledge> known = knowledgeOf(trace_.table());
  const FunctionStatistics none;
  std::vector<Value> row;
  for (const model::Function &function : trace_.functions()) {
    const FunctionStatistics &figures =
        totals && function.index < totals->functions.size() ? totals->functions[function.index] : none;
    const Knowledge &knows = known[function.process];
    const auto percentile = [&](double percent) -> Value {
      return knownIf(figures.durations.count() > 0, figures.durations.percentile(percent));
    };
    row = {uint64_t{function.index},
           uint64_t{function.process},
           function.displayName,
           textOrNull(function.name),
           textOrNull(function.file),
           knownIf(function.line > 0, function.line),
           textOrNull(function.signature),
           kindName(function.kind),
           figures.calls,
           figures.exceptions,
           figures.missing,
           figures.open,
           figures.earlier,
           figures.totalNs,
           figures.selfNs,
           knownIf(knows.sched, figures.onCpuSelfNs()),
           knownIf(knows.sched, figures.off.waitingNs),
           knownIf(knows.sched, figures.off.preemptedNs),
           knownIf(knows.recorder, figures.off.recorderNs),
           knownIf(knows.sched, figures.off.unknownNs),
           knownIf(knows.recorder, figures.selfOff.recorderNs)};
    for (const double percent : {0.0, 50.0, 90.0, 99.0, 100.0})
      row.push_back(percentile(percent));
    if (!visit(row))
      break;
  }
  return {};
}

Expected<void> TraceLists::readThreads(const ListRequest &request, const std::atomic<bool> &stop,
                                       const RowVisitor &visit) {
  const TraceTotals *totals = ADA_TRY(this->totals(request, 8, stop));
  std::vector<Value> row;
  for (const model::Thread &thread : trace_.table().threads) {
    const model::ThreadExtent extent = thread.extent.value_or(model::ThreadExtent());
    row = {uint64_t{thread.index},
           uint64_t{thread.process},
           uint64_t{thread.number},
           thread.tid,
           textOrNull(thread.name),
           knownIf(extent.events > 0, extent.firstNs),
           knownIf(extent.events > 0, extent.lastNs),
           extent.events};
    Knowledge known;
    known.add(thread);
    addTotals(row, totals ? totals->threads[thread.index] : ThreadTotals(), known);
    if (!visit(row))
      break;
  }
  return {};
}

Expected<void> TraceLists::readProcesses(const ListRequest &request, const std::atomic<bool> &stop,
                                         const RowVisitor &visit) {
  const TraceTotals *totals = ADA_TRY(this->totals(request, 6, stop));
  const std::vector<Knowledge> known = knowledgeOf(trace_.table());
  std::vector<uint64_t> threads(trace_.table().processes.size());
  for (const model::Thread &thread : trace_.table().threads)
    ++threads[thread.process];
  std::vector<Value> row;
  for (const model::Process &process : trace_.table().processes) {
    row = {uint64_t{process.index},        process.name,         process.pid,
           textOrNull(process.executable), process.resolutionNs, threads[process.index]};
    addTotals(row, totals ? totals->processes[process.index] : ThreadTotals(), known[process.index]);
    if (!visit(row))
      break;
  }
  return {};
}

Expected<void> TraceLists::readWaits(const ListRequest &, const std::atomic<bool> &stop, const RowVisitor &visit) {
  analysis::TraceTable table = trace_.plainTable();
  StoppableSource source(trace_.plainSource(), stop);
  std::vector<uint32_t> threads(table.threads.size());
  std::iota(threads.begin(), threads.end(), uint32_t{0});
  const analysis::Waits waits = ADA_TRY(analysis::readWaits(source, table, threads, {}));
  trace_.addDamage(source);
  const auto nameOf = [&](uint32_t function) {
    return function == analysis::kNobody ? Value() : Value(table.functions[function].displayName);
  };
  for (const analysis::WaitRow &row : waits.rows) {
    const analysis::WaitHolder *const holder = row.holders.empty() ? nullptr : &row.holders.front();
    const bool isHeld = holder && holder->thread != analysis::kNobody;
    if (!visit({uint64_t{row.object.process}, analysis::waitKindName(row.object.kind),
                textOrNull(analysis::objectName(table, row.object)), nameOf(row.object.place), row.waits, row.totalNs,
                row.maxNs, row.timeouts, row.open, row.callers.empty() ? Value() : nameOf(row.callers.front().function),
                knownIf(isHeld, isHeld ? holder->thread : 0), isHeld ? nameOf(holder->function) : Value(),
                knownIf(isHeld, isHeld ? holder->ns : 0)}))
      break;
  }
  return {};
}

Expected<void> TraceLists::readOffCpu(const ListRequest &request, const std::atomic<bool> &stop,
                                      const RowVisitor &visit) {
  model::ReadRequest which;
  which.threads = request.threads;
  std::vector<Value> row;
  for (const model::Thread &thread : trace_.table().threads) {
    if (!thread.offCpu || !which.wantsThread(thread.index))
      continue;
    for (const OffCpu &off : thread.offCpu->periods()) {
      if (stop)
        return {};
      if (off.fromNs < request.minTs || off.fromNs > request.maxTs)
        continue;
      row = {uint64_t{thread.index}, uint64_t{thread.process}, off.fromNs,
             off.durationNs(),       offCpuName(off.why),      uint64_t{off.processor}};
      if (!visit(row))
        return {};
    }
  }
  return {};
}

} // namespace ada::query
