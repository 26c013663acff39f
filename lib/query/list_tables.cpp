// The rows of tables that are lists: functions, threads, processes, off-CPU times.
#include "list_tables.h"

#include "analysis/events/early_end.h"
#include "analysis/waits/wait_table.h"
#include "base/try.h"
#include "event_tables.h"
#include "list_rows.h"
#include "stoppable_source.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace ada::query {

namespace {

std::vector<Knowledge> knowledgeOf(const analysis::TraceTable &table) {
  std::vector<Knowledge> known(table.processes.size());
  for (const model::Thread &thread : table.threads)
    known[thread.process].add(thread);
  return known;
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
  for (uint32_t number = 0; number < trace_.functionCount() && !stop; ++number) {
    const model::Function &function = trace_.function(number);
    const FunctionStatistics &figures =
        totals && function.index < totals->functions.size() ? totals->functions[function.index] : none;
    if (!visit(functionRow(function.index, function, figures, known[function.process])))
      break;
  }
  return {};
}

Expected<void> TraceLists::readThreads(const ListRequest &request, const std::atomic<bool> &stop,
                                       const RowVisitor &visit) {
  const TraceTotals *totals = ADA_TRY(this->totals(request, 8, stop));
  for (const model::Thread &thread : trace_.table().threads) {
    Knowledge known;
    known.add(thread);
    if (!visit(threadRow(thread.index, thread, thread.extent.value_or(model::ThreadExtent()),
                         totals ? totals->threads[thread.index] : ThreadTotals(), known)))
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
  for (const model::Process &process : trace_.table().processes)
    if (!visit(processRow(process, threads[process.index], totals ? totals->processes[process.index] : ThreadTotals(),
                          known[process.index])))
      break;
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
    bool isOver = false;
    thread.eachOffCpu([&](const OffCpu &off) {
      isOver |= stop;
      if (isOver || off.fromNs < request.minTs || off.fromNs > request.maxTs)
        return;
      row = {uint64_t{thread.index}, uint64_t{thread.process}, off.fromNs,
             off.durationNs(),       offCpuName(off.why),      uint64_t{off.processor}};
      isOver = !visit(row);
    });
    if (isOver)
      return {};
  }
  return {};
}

} // namespace ada::query
