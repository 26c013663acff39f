// The rows of tables that are lists: functions, threads, processes, off-CPU times.
#include "list_tables.h"

#include "analysis/events/early_end.h"
#include "analysis/waits/wait_table.h"
#include "event_tables.h"
#include "list_rows.h"
#include "stoppable_source.h"
#include "trace/base/try.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace ada::query {

// From which column on a table has figures.
static unsigned firstFigureOf(std::string_view table) { return table == "processes" ? 6 : 8; }

TraceLists::TraceLists(SharedTrace &trace)
    : trace_(trace), known_(trace.table().processes.size()), threads_(known_.size()) {
  for (const model::Thread &thread : trace.table().threads) {
    known_[thread.process].add(thread);
    ofAny_.add(thread);
    ++threads_[thread.process];
  }
}

bool TraceLists::isAtHand(const TableInfo &table, const ListRequest &request) {
  const std::lock_guard lock(mutex_);
  return request.id && (totals_ || request.used >> firstFigureOf(table.name) == 0);
}

// The numbers of a list's rows, which are their ids, from the first to the one after the last.
static std::pair<size_t, size_t> rowsOf(const ListRequest &request, size_t count) {
  if (!request.id)
    return {0, count};
  const size_t first = std::min<uint64_t>(*request.id, count);
  return {first, std::min(first + 1, count)};
}

Expected<void> TraceLists::read(const TableInfo &table, const ListRequest &request, const std::atomic<bool> &stop,
                                const RowVisitor &visit) {
  const std::string_view name = table.name;
  Expected<void> done;
  if (name == "functions")
    done = readFunctions(request, stop, visit);
  else if (name == "process_functions")
    done = readProcessFunctions(stop, visit);
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
  const TraceTotals *totals = ADA_TRY(this->totals(request, firstFigureOf("functions"), stop));
  const FunctionStatistics none;
  const auto [first, last] = rowsOf(request, trace_.functionCount());
  for (auto number = static_cast<uint32_t>(first); number < last && !stop; ++number) {
    const model::Function &function = trace_.function(number);
    const bool isShared = trace_.isShared(number);
    const FunctionStatistics &figures = totals && number < totals->functions.size() ? totals->functions[number] : none;
    if (!visit(functionRow(number, function, isShared, figures, isShared ? ofAny_ : known_[function.process])))
      break;
  }
  return {};
}

Expected<void> TraceLists::readProcessFunctions(const std::atomic<bool> &stop, const RowVisitor &visit) {
  return eachProcessFigures(trace_, stop, [&](uint32_t process, const ProcessFigures &figures) {
    return std::ranges::all_of(figures, [&](const auto &one) {
      return visit(processFunctionRow(one.first, process, one.second, known_[process]));
    });
  });
}

Expected<void> TraceLists::readThreads(const ListRequest &request, const std::atomic<bool> &stop,
                                       const RowVisitor &visit) {
  const TraceTotals *totals = ADA_TRY(this->totals(request, firstFigureOf("threads"), stop));
  const auto [first, last] = rowsOf(request, trace_.table().threads.size());
  for (size_t number = first; number < last; ++number) {
    const model::Thread &thread = trace_.table().threads[number];
    Knowledge known;
    known.add(thread);
    if (!visit(threadRow(thread.index, thread, thread.extent.value_or(model::ThreadExtent()),
                         totals ? totals->threads[number] : ThreadTotals(), known)))
      break;
  }
  return {};
}

Expected<void> TraceLists::readProcesses(const ListRequest &request, const std::atomic<bool> &stop,
                                         const RowVisitor &visit) {
  const TraceTotals *totals = ADA_TRY(this->totals(request, firstFigureOf("processes"), stop));
  const auto [first, last] = rowsOf(request, known_.size());
  for (size_t number = first; number < last; ++number)
    if (!visit(processRow(trace_.table().processes[number], threads_[number],
                          totals ? totals->processes[number] : ThreadTotals(), known_[number])))
      break;
  return {};
}

Expected<void> TraceLists::readWaits(const ListRequest &, const std::atomic<bool> &stop, const RowVisitor &visit) {
  analysis::TraceTable table = trace_.plainTable();
  StoppableSource source(trace_.plainSource(), stop);
  std::vector<uint32_t> threads(table.threads.size());
  std::iota(threads.begin(), threads.end(), uint32_t{0});
  const analysis::Waits waits = ADA_TRY(analysis::readWaits({source, table, threads}, {}));
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
