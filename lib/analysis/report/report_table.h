// The columns of a report, and of lists of single calls.
#pragma once

#include "analysis/events/trace_columns.h"
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
