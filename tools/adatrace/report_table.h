//===- report_table.h - the rows of adatrace report -----------------------===//
#ifndef ADATRACE_REPORT_TABLE_H
#define ADATRACE_REPORT_TABLE_H

#include "call_filter.h"
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
  std::string source;  ///< file and line of a function
  FunctionStatistics figures;
};

/// What was found in the calls beside their figures.
struct ReportFlaws {
  uint64_t strayExits = 0, missingExits = 0, openCalls = 0;
};

/// Reads all threads of `input`, several at a time, and makes one row for each function
/// (thread and function, module, file). The rows are in no particular order.
std::vector<ReportRow> makeReport(const TraceInput &input, const FilterOptions &filter,
                                  ReportBy by, NameStyle style, ReportFlaws &flaws);

} // namespace ada::cli
#endif // ADATRACE_REPORT_TABLE_H
