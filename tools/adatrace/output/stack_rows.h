// How threads ended, as tables: a row for each thread, and for each of the last calls.
#pragma once

#include "stack_lines.h"

#include "analysis/waits/wait_table.h"

#include <vector>

namespace ada::cli {

/// One row per thread.
void printStackRows(Output &out, const Palette &palette, const StackTable &table,
                    const std::vector<analysis::ThreadEnd> &ends, const std::vector<analysis::DeadlockCycle> &deadlocks,
                    const StackLineOptions &options);
ColumnList stackTable();
ColumnList frameTable();

/// A call with its thread.
struct LastCall {
  uint32_t thread = 0;
  const analysis::EndCall *call = nullptr;
};
void printLastCalls(Output &out, const Palette &palette, const StackTable &table, const std::vector<LastCall> &calls,
                    const StackLineOptions &options);
ColumnList lastCallTable();

} // namespace ada::cli
