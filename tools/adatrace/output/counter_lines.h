// Prints the values of counters, in each format of a report.
#ifndef ADATRACE_COUNTER_LINES_H
#define ADATRACE_COUNTER_LINES_H

#include "report_lines.h"

#include "analysis/values/counters.h"

namespace ada::cli {

void printCounters(Output &out, const Palette &palette, const analysis::Counters &counters, const TraceInput &input,
                   const ReportLineOptions &options);

} // namespace ada::cli
#endif // ADATRACE_COUNTER_LINES_H
