// Prints what sets slow calls apart.
#ifndef ADATRACE_OUTLIER_LINES_H
#define ADATRACE_OUTLIER_LINES_H

#include "analysis/outliers/outliers.h"
#include "terminal/terminal.h"
#include "trace/trace_input.h"

#include <string>
#include <vector>

namespace ada::cli {

/// The answer for one function: the comparison, the factors, and commands that open the slowest calls.
void printOutliers(Output &out, const Palette &palette, const TraceInput &input, const analysis::Outliers &outliers);
/// The same as one JSON object; docs/json.md lists its keys.
std::string outliersJson(const TraceInput &input, const analysis::Outliers &outliers);

/// A function by the time that its calls took beyond its median.
struct TailRow {
  std::string function;
  uint64_t calls = 0, medianNs = 0, p99Ns = 0, maxNs = 0, aboveMedianNs = 0;
};
void printTails(Output &out, const Palette &palette, const std::vector<TailRow> &rows);
std::string tailJson(const TailRow &row);

} // namespace ada::cli
#endif // ADATRACE_OUTLIER_LINES_H
