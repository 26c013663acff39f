// Prints what threads waited for.
#pragma once

#include "function_names.h"
#include "input/trace_input.h"
#include "options/table_options.h"
#include "terminal/terminal.h"

#include "analysis/waits/wait_table.h"

#include <string>
#include <vector>

namespace ada::cli {

struct WaitLineOptions {
  NameOptions names;
  std::string sort = "total"; ///< one of sortWords(waitColumns()), or "object"
  TableOptions table;
  analysis::WaitsBy by = analysis::WaitsBy::Object;
};

/// The trace with the names that --names chooses.
inline analysis::NamedTrace namedTrace(const TraceInput &input, NameStyle style) {
  return analysis::namedTrace(input.table(), style);
}
/// "hold, in usleep"; "" if neither is known.
std::string whereText(const analysis::NamedTrace &trace, uint32_t function, uint32_t library);

void printWaits(Output &out, const Palette &palette, const TraceInput &input, const analysis::NamedTrace &trace,
                const std::vector<analysis::WaitLine> &lines, const std::vector<analysis::DeadlockCycle> &deadlocks,
                const WaitLineOptions &options);

/// Prints a line that reports the deadlock, and one for each of its threads; nothing if there is no deadlock.
void printDeadlocks(Output &out, const Palette &palette, const TraceInput &input, const analysis::NamedTrace &trace,
                    const std::vector<analysis::DeadlockCycle> &deadlocks);

} // namespace ada::cli
