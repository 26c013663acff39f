// The columns of a report, and of lists of single calls.
#pragma once

#include "analysis/events/function_names.h"
#include "report.h"
#include "slowest.h"

#include <string>
#include <vector>

namespace ada::analysis {

/// A row of a report, and what its columns need.
struct ReportLine {
  const ReportRow *row;
  const TraceTable *trace;
  std::string name, source; ///< of the function, module or file
};

Columns<ReportLine> reportColumns();
/// A line for each row, but for those of counters, which have a table of their own. `sort`: a word of
/// sortWords(reportColumns()), the largest first, or "name". Equal
/// rows are sorted by name, so that the order never depends on which thread was read first.
std::vector<ReportLine> sortedLines(const Report &report, const TraceTable &trace, NameStyle style,
                                    std::string_view sort);
Columns<Distribution::Bin> binColumns(); ///< of the histogram
/// What decides about columns.
Facts reportFacts(const std::vector<ReportLine> &lines, const TraceTable &trace, const ReportOptions &options,
                  bool histogram);

/// A single call, and what its columns need.
struct CallLine {
  const SlowCall *call;
  const TraceTable *trace;
  uint64_t originNs; ///< text counts times from there
  std::string name, source;

  const model::Thread &thread() const { return trace->threads[call->thread]; }
};

Columns<CallLine> callColumns();
/// The off-CPU times of the call and all calls that it made; nothing if they are not known.
std::optional<OffCpuTimes> offCpuOf(const CallLine &line);

} // namespace ada::analysis
