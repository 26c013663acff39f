// What each function (thread, module, file, list of arguments) of a trace cost.
#ifndef ADA_LIB_ANALYSIS_REPORT_H
#define ADA_LIB_ANALYSIS_REPORT_H

#include "ada/trace/statistics.h"
#include "call_filter.h"
#include "report_parts.h"
#include "thread_workers.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace ada::analysis {

/// Whether a report uses the summaries of threads that one before it kept (docs/formats/packed.md), and keeps some.
enum class UseSummaries {
  No,
  Yes,  ///< and they are made of threads that have ReportOptions::summaryEvents without
  Make, ///< and they are made of any number of events
};

struct ReportOptions {
  FilterOptions filter;
  ReportBy by = ReportBy::Function;
  /// Calls of one function with different arguments have rows of their own.
  bool arguments = false;
  /// More such rows of a process are too many: the functions with the most of them have one row each instead.
  size_t mostArgumentRows = 100'000;
  /// Threads with more events are read in parts, where the trace allows that.
  uint64_t partEvents = 1 << 20;
  /// They serve reports by function, or function and thread, whose filter has a range of time at most.
  UseSummaries summaries = UseSummaries::Yes;
  uint64_t summaryEvents = 1 << 22;
};

/// One line of the report.
struct ReportRow {
  uint32_t process = 0;
  std::optional<uint32_t> thread;            ///< ReportBy::Thread
  const model::Function *function = nullptr; ///< in Report::functions; null for modules and files
  std::string group;                         ///< the module or file
  /// "(n=10)" and "55"; "55, …" if not all calls returned the same; "(…)" if the function has too many lists of
  /// arguments. Empty where nothing was recorded.
  std::string arguments, result;
  FunctionStatistics figures;
};

struct Report {
  Report() = default;
  Report(Report &&) = default; // no copies: rows point to functions
  Report &operator=(Report &&) = default;

  std::vector<ReportRow> rows; ///< in no particular order
  std::deque<model::Function> functions;
  uint64_t strayExits = 0, missingExits = 0;
  /// Functions whose arguments are "(…)".
  uint64_t collapsedFunctions = 0;
  /// Some call had arguments or a result. Only with ReportOptions::arguments.
  bool hasValues = false;
  /// Every function that there were events of; some may come twice.
  std::vector<model::Function> metFunctions;
  Damage damage;
};

/// Reads the given threads, several at a time. `table` must hold them already.
Expected<Report> makeReport(model::TraceSource &source, const TraceTable &table, const std::vector<uint32_t> &threads,
                            const ReportOptions &options);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_REPORT_H
