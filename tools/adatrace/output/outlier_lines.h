// Prints what sets slow calls apart.
#pragma once

#include "analysis/outliers/outlier_table.h"
#include "input/trace_input.h"
#include "options/table_options.h"
#include "terminal/terminal.h"

#include <vector>

namespace ada::cli {

/// The answer for one function: the comparison, the factors, and commands that open the slowest calls.
void printOutliers(Output &out, const Palette &palette, const TraceInput &input, const analysis::Outliers &outliers);
void printTails(Output &out, const Palette &palette, const std::vector<analysis::TailRow> &rows,
                const TableOptions &options);

} // namespace ada::cli
