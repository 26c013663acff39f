// Prints the rows of a report and lists of single calls, in each of their formats.
#ifndef ADATRACE_REPORT_LINES_H
#define ADATRACE_REPORT_LINES_H

#include "function_names.h"
#include "terminal.h"
#include "trace/trace_input.h"

#include "analysis/report/report.h"
#include "analysis/report/slowest.h"

#include <span>
#include <string>
#include <vector>

namespace ada::cli {

/// The columns by which a report can be sorted: "calls", "total", …
std::vector<std::string> reportColumns();

struct ReportLineOptions {
  analysis::ReportBy by = analysis::ReportBy::Function;
  std::string sort = "self";   ///< one of reportColumns(), or "name"
  std::string format = "text"; ///< text, csv, jsonl, json
  NameOptions names;
  bool arguments = false;
  bool histogram = false; ///< not with csv
};

/// A row with its text.
struct ReportLine {
  const analysis::ReportRow *row;
  std::string name, source;
};

/// The rows in the order of options.sort, the largest first. Equal rows are sorted by name, so that the order never
/// depends on which thread was read first.
std::vector<ReportLine> sortedLines(const analysis::Report &report, const ReportLineOptions &options);

void printReport(Output &out, const Palette &palette, std::span<const ReportLine> lines, const TraceInput &input,
                 const ReportLineOptions &options);
/// Prints for each row the distribution of its calls' durations. Text only.
void printHistograms(Output &out, const Palette &palette, std::span<const ReportLine> lines, const TraceInput &input,
                     const ReportLineOptions &options);
/// One line per call.
void printCalls(Output &out, const Palette &palette, const std::vector<analysis::SlowCall> &calls,
                const TraceInput &input, const ReportLineOptions &options);

/// Quotes the text if necessary (RFC 4180).
std::string csvField(const std::string &text);

/// "function", "module", "file"
const char *headingOf(analysis::ReportBy by);

} // namespace ada::cli
#endif // ADATRACE_REPORT_LINES_H
