// What functions, threads and processes cost.
#include "trace_totals.h"

#include "analysis/report/report.h"
#include "base/try.h"
#include "stoppable_source.h"

#include <numeric>
#include <utility>

namespace ada::query {

Expected<TraceTotals> totalsOf(SharedTrace &trace, const std::atomic<bool> &stop) {
  const analysis::TraceTable &table = trace.plainTable();
  StoppableSource source(trace.plainSource(), stop);
  std::vector<uint32_t> threads(table.threads.size());
  std::iota(threads.begin(), threads.end(), uint32_t{0});
  const auto report = ADA_TRY(analysis::makeReport(source, table, threads, {.by = analysis::ReportBy::Thread}));
  TraceTotals totals;
  totals.threads.resize(table.threads.size());
  totals.processes.resize(table.processes.size());
  for (const analysis::ReportRow &row : report.rows) {
    const uint32_t function = trace.numberOfNew(*row.function);
    if (function >= totals.functions.size())
      totals.functions.resize(function + size_t{1});
    totals.functions[function].merge(row.figures);
    const ThreadTotals sums = {row.figures.calls, row.figures.selfNs, row.figures.selfOff};
    totals.threads[*row.thread] += sums;
    totals.processes[row.process] += sums;
  }
  totals.functions.resize(std::max(totals.functions.size(), trace.functionCount()));
  trace.addDamage(report.damage.problems, report.damage.warnings);
  return totals;
}

} // namespace ada::query
