//===- report_table.h - the rows of adatrace report -----------------------===//
#ifndef ADATRACE_REPORT_TABLE_H
#define ADATRACE_REPORT_TABLE_H

#include "call_filter.h"
#include "call_values.h"
#include "function_names.h"
#include "trace_input.h"

#include "ada/trace/statistics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::cli {

enum class ReportBy { Function, Thread, Module, File };

/// One line of the report.
struct ReportRow {
  std::string process; ///< "pid_42"; empty if there is only one
  std::string thread;  ///< --by=thread: "0"
  uint64_t tid = 0;
  std::string threadName;
  std::string name;    ///< function, module or file
  /// With arguments: "(n=10)" and "55"; "55, …" if not all calls returned the same. Empty
  /// where nothing was recorded.
  std::string arguments, result;
  std::string source;  ///< file and line of a function
  FunctionStatistics figures;
};

/// What was found in the calls beside their figures.
struct ReportFlaws {
  uint64_t strayExits = 0, missingExits = 0, openCalls = 0;
};

/// Reads all threads of `input`, several at a time, and makes one row for each function
/// (thread and function, module, file). The rows are in no particular order.
///
/// With `types` calls of one function with different arguments have rows of their own: up
/// to 100,000 rows of a process, the rest of a function's calls is one row "(…)".
std::vector<ReportRow> makeReport(const TraceInput &input, const FilterOptions &filter,
                                  ReportBy by, NameStyle style, const SessionTypes *types,
                                  ReportFlaws &flaws);

} // namespace ada::cli
#endif // ADATRACE_REPORT_TABLE_H
