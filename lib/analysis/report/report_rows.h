// The rows of a report, put together from what workers have added up and from calls that continue beyond a part.
#pragma once

#include "report_worker.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ada::analysis {

/// All workers' figures of a row.
struct MergedRow {
  ReportGroup group;
  std::map<std::string, ReportGroup> lists; ///< by arguments
  bool hasTooMany = false;
  const model::Function *function = nullptr;
};
using MergedRows = std::map<RowKey, MergedRow>;

/// Adds one worker's figures; new functions go into report.functions. `most`: ReportOptions::mostArgumentRows.
void addWorker(MergedRows &all, const ReportWorker &worker, Report &report, size_t most);

/// Adds a row to the report for each of them that has calls.
void addRows(Report &report, const TraceTable &table, const ReportOptions &options, MergedRows all);

} // namespace ada::analysis
