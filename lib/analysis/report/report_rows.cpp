// The rows of a report, put together from what workers have added up and from calls that continue beyond a part.
#include "report_rows.h"

#include <algorithm>
#include <utility>

namespace ada::analysis {

namespace {

constexpr const char *kTooMany = "(…)";

void merge(ReportGroup &into, const ReportGroup &from) {
  into.selves.merge(from.selves, into.figures.durations, from.figures.durations);
  into.figures.merge(from.figures);
  if (from.result.hasText)
    into.result.add(from.result.text, from.result.at, from.result.varies);
}

// What rows of a process, or of several folded ones, have in common.
std::vector<ReportRow> rowsOf(const TraceTable &table, const ReportOptions &options) {
  std::vector<ReportRow> rows(table.processes.size());
  const std::vector<uint32_t> firsts = options.foldsProcesses ? firstOfProgram(table) : std::vector<uint32_t>();
  const auto rowProcess = [&](uint32_t process) { return firsts.empty() ? process : firsts[process]; };
  for (uint32_t process = 0; process < rows.size(); ++process)
    rows[process].process = process;
  for (const uint32_t first : firsts)
    ++rows[first].processes;
  for (const model::Thread &thread : table.threads) {
    ReportRow &row = rows[rowProcess(thread.process)];
    row.knowsSched |= thread.knowsSched(), row.hasLane |= thread.offCpu != nullptr;
  }
  return rows;
}

void addRow(Report &report, const TraceTable &table, const ReportOptions &options, ReportRow row, const RowKey &key,
            MergedRow &merged) {
  if (key.thread != RowKey::kNoThread) {
    const model::Thread &thread = table.threads[key.thread];
    row.thread = key.thread;
    row.knowsSched = thread.knowsSched(), row.hasLane = thread.offCpu != nullptr;
  }
  if (options.by == ReportBy::Module && options.foldsProcesses)
    row.group = key.text;
  else if (options.by == ReportBy::Module)
    row.group = moduleName(table.processes[key.process], static_cast<uint32_t>(key.number));
  else if (options.by == ReportBy::File)
    row.group = key.text.empty() ? "(no file known)" : key.text;
  else
    row.function = merged.function;
  const auto add = [&](ReportGroup &group, const std::string &arguments) {
    if (group.figures.calls == 0)
      return;
    row.arguments = arguments;
    if (options.arguments)
      row.result = group.result.text + (group.result.varies ? ", …" : "");
    row.figures = std::move(group.figures);
    row.selves = std::move(group.selves);
    report.rows.push_back(row);
  };
  if (!options.arguments || merged.hasTooMany)
    return add(merged.group, options.arguments ? kTooMany : std::string());
  for (auto &[arguments, group] : merged.lists)
    add(group, arguments);
}

} // namespace

void addWorker(MergedRows &all, const ReportWorker &worker, Report &report, size_t most) {
  for (uint32_t i = 0; i < worker.groups.size(); ++i) {
    MergedRow &merged = all[worker.keys[i]];
    if (!merged.function)
      merged.function = &report.functions.emplace_back(worker.table().functions[worker.groups[i].function]);
    merge(merged.group, worker.groups[i]);
    merged.hasTooMany |= worker.hasTooMany[i];
    if (!merged.hasTooMany)
      for (const auto &[arguments, list] : worker.listsOf[i])
        merge(merged.lists[arguments], worker.lists[list]);
    merged.hasTooMany |= merged.lists.size() > most;
    if (merged.hasTooMany)
      merged.lists.clear();
  }
  report.hasValues |= worker.hasValues;
  report.strayExits += worker.strayExits;
  report.missingExits += worker.missingExits;
}

void addRows(Report &report, const TraceTable &table, const ReportOptions &options, MergedRows all) {
  const std::vector<ReportRow> rows = rowsOf(table, options);
  for (auto &[key, merged] : all)
    addRow(report, table, options, rows[key.process], key, merged);
}

} // namespace ada::analysis
