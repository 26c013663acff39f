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

/// The calls of a thread that continue from the parts that were added to the next one.
struct OpenCalls {
  std::vector<PartEnds::Call> calls; ///< outermost first
  uint64_t lastNs = 0;               ///< the time of the last event

  /// The next part of the thread, or the first one of another. Adds the calls that end in it. False if the calls that
  /// are open at its start are not those that the parts before it left open.
  bool add(const PartEnds &ends, MergedRows &all, const TraceTable &table);
};

} // namespace ada::analysis
