// Prints the rows of a report and lists of single calls; analysis/report/report_table.h has their columns.
#pragma once

#include "function_names.h"
#include "input/trace_input.h"
#include "options/table_options.h"
#include "terminal/terminal.h"

#include "analysis/report/report_table.h"
#include "analysis/values/counters.h"

#include <string>
#include <vector>

namespace ada::cli {

struct ReportLineOptions {
  analysis::ReportBy by = analysis::ReportBy::Function;
  std::string sort = "self"; ///< one of sortWords(reportColumns()), or "name"
  TableOptions table;
  NameOptions names;
  bool arguments = false;
  bool histogram = false; ///< with text and JSON only
  bool foldsProcesses = false;
};

void printReport(Output &out, const Palette &palette, const std::vector<analysis::ReportLine> &lines,
                 const TraceInput &input, const ReportLineOptions &options);
/// Prints for each row the distribution of its calls' durations. Text only.
void printHistograms(Output &out, const Palette &palette, const std::vector<analysis::ReportLine> &lines,
                     const TraceInput &input, const ReportLineOptions &options);
/// One line per call.
void printCalls(Output &out, const Palette &palette, const std::vector<analysis::SlowCall> &calls,
                const TraceInput &input, const ReportLineOptions &options);

/// " [left by exception]", " [still open]", ..., or nothing if the call returned.
const char *endNote(SpanEnd how);

void printCounters(Output &out, const Palette &palette, const analysis::Counters &counters, const TraceInput &input,
                   const ReportLineOptions &options);

} // namespace ada::cli
