// What functions, threads and processes cost.
#include "trace_totals.h"

#include "analysis/report/report.h"
#include "stoppable_source.h"
#include "trace/base/try.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ada::query {

namespace {

// A report holds some 600 bytes for each function of each thread, so no more threads than these are in one, except for
// those of a single process.
constexpr size_t kThreadsAtATime = 128;

// Calls use(report) for reports of some processes each, in the order of the processes, until it returns false.
template <class Use> Expected<void> eachReport(SharedTrace &trace, const std::atomic<bool> &stop, Use &&use) {
  analysis::TraceTable table = trace.plainTable();
  std::vector<uint32_t> threads(table.threads.size());
  std::iota(threads.begin(), threads.end(), uint32_t{0});
  const auto processOf = [&](uint32_t thread) { return table.threads[thread].process; };
  std::ranges::stable_sort(threads, {}, processOf);
  for (auto from = threads.begin(); from != threads.end();) {
    auto to = from + std::min<std::ptrdiff_t>(kThreadsAtATime, threads.end() - from);
    to = std::find_if(to, threads.end(), [&](uint32_t thread) { return processOf(thread) != processOf(to[-1]); });
    StoppableSource source(trace.plainSource(), stop);
    const auto report = ADA_TRY(analysis::makeReport({source, table, {from, to}}, {.by = analysis::ReportBy::Thread}));
    const bool goesOn = use(report);
    trace.addDamage(report.damage.problems, report.damage.warnings);
    if (!goesOn)
      break;
    from = to;
  }
  return {};
}

} // namespace

Expected<TraceTotals> totalsOf(SharedTrace &trace, const std::atomic<bool> &stop) {
  TraceTotals totals;
  totals.threads.resize(trace.plainTable().threads.size());
  totals.processes.resize(trace.plainTable().processes.size());
  ADA_TRY(eachReport(trace, stop, [&](const analysis::Report &report) {
    for (const analysis::ReportRow &row : report.rows) {
      const uint32_t function = trace.numberOfNew(*row.function);
      if (function >= totals.functions.size())
        totals.functions.resize(function + size_t{1});
      totals.functions[function].merge(row.figures);
      const ThreadTotals sums = {row.figures.calls, row.figures.selfNs, row.figures.selfOff};
      totals.threads[*row.thread] += sums;
      totals.processes[row.process] += sums;
    }
    return true;
  }));
  totals.functions.resize(std::max(totals.functions.size(), trace.functionCount()));
  return totals;
}

Expected<void> eachProcessFigures(SharedTrace &trace, const std::atomic<bool> &stop,
                                  const std::function<bool(uint32_t process, const ProcessFigures &figures)> &visit) {
  return eachReport(trace, stop, [&](const analysis::Report &report) {
    std::map<uint32_t, ProcessFigures> processes;
    for (const analysis::ReportRow &row : report.rows)
      processes[row.process][trace.numberOfNew(*row.function)].merge(row.figures);
    return std::ranges::all_of(processes, [&](const auto &one) { return visit(one.first, one.second); });
  });
}

} // namespace ada::query
