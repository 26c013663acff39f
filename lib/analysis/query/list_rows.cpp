// The rows of tables with one row per function, thread or process.
#include "list_rows.h"

namespace ada::query {

namespace {

void addTotals(std::vector<Value> &row, const ThreadTotals &totals, const Knowledge &known) {
  row.insert(row.end(), {totals.calls, totals.totalNs(), knownIf(known.sched, totals.onCpuNs()),
                         knownIf(known.sched, totals.off.waitingNs), knownIf(known.sched, totals.off.preemptedNs),
                         knownIf(known.recorder, totals.off.recorderNs), knownIf(known.sched, totals.off.unknownNs)});
}

void addFigures(std::vector<Value> &row, const FunctionStatistics &figures, const Knowledge &known) {
  row.insert(row.end(), {figures.calls, figures.exceptions, figures.inferred, figures.missing, figures.open,
                         figures.earlier, figures.totalNs, figures.selfNs, knownIf(known.sched, figures.onCpuSelfNs()),
                         knownIf(known.sched, figures.off.waitingNs), knownIf(known.sched, figures.off.preemptedNs),
                         knownIf(known.recorder, figures.off.recorderNs), knownIf(known.sched, figures.off.unknownNs),
                         knownIf(known.recorder, figures.selfOff.recorderNs)});
  for (const double percent : {0.0, 50.0, 90.0, 99.0, 100.0})
    row.push_back(knownIf(figures.durations.count() > 0, figures.durations.percentile(percent)));
}

} // namespace

std::vector<Value> functionRow(uint32_t number, const model::Function &function, bool isShared,
                               const FunctionStatistics &figures, const Knowledge &known) {
  std::vector<Value> row = {uint64_t{number},
                            knownIf(!isShared, uint64_t{function.process}),
                            function.displayName,
                            textOrNull(function.name),
                            textOrNull(function.file),
                            knownIf(function.line > 0, function.line),
                            textOrNull(function.signature),
                            kindName(function.kind)};
  addFigures(row, figures, known);
  return row;
}

std::vector<Value> processFunctionRow(uint32_t number, uint32_t process, const FunctionStatistics &figures,
                                      const Knowledge &known) {
  std::vector<Value> row = {uint64_t{number}, uint64_t{process}};
  addFigures(row, figures, known);
  return row;
}

std::vector<Value> threadRow(uint32_t number, const model::Thread &thread, const model::ThreadExtent &extent,
                             const ThreadTotals &totals, const Knowledge &known) {
  std::vector<Value> row = {uint64_t{number},
                            uint64_t{thread.process},
                            uint64_t{thread.number},
                            thread.tid,
                            textOrNull(thread.label),
                            knownIf(extent.events > 0, extent.firstNs),
                            knownIf(extent.events > 0, extent.lastNs),
                            extent.events};
  addTotals(row, totals, known);
  return row;
}

std::vector<Value> processRow(const model::Process &process, uint64_t threads, const ThreadTotals &totals,
                              const Knowledge &known) {
  std::vector<Value> row = {uint64_t{process.index},        process.label,        process.pid,
                            textOrNull(process.executable), process.resolutionNs, threads};
  addTotals(row, totals, known);
  return row;
}

} // namespace ada::query
