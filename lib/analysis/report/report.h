// The cost of each function (thread, module, file, list of arguments) of a trace.
#pragma once

#include "analysis/calls/call_filter.h"
#include "analysis/calls/thread_workers.h"
#include "report_parts.h"
#include "self_durations.h"
#include "trace/statistics.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace ada::analysis {

/// Whether a report uses the thread summaries that an earlier report kept (docs/formats/packed.md), and keeps new ones.
enum class UseSummaries {
  No,
  Yes,  ///< uses them, and makes them if threads without any have ReportOptions::summaryEvents events or more
  Make, ///< uses them, and makes them for any number of events
};

struct ReportOptions {
  FilterOptions filter = {};
  ReportBy by = ReportBy::Function;
  /// Calls of one function with different arguments get separate rows.
  bool arguments = false;
  /// All processes with the same program are one. Functions are the same if name, file and line are.
  bool foldsProcesses = false;
  /// Limit on such rows per process. Beyond it, the functions with the most argument lists get one row each.
  size_t mostArgumentRows = 100'000;
  /// Threads with more events are read in parts, if the trace allows that.
  uint64_t partEvents = 1 << 20;
  /// Summaries serve reports by function, or by function and thread, whose filter has at most a time range.
  UseSummaries summaries = UseSummaries::Yes;
  uint64_t summaryEvents = 1 << 22;
  /// ReportRow::selves is wanted. Summaries don't have that, so none are used or made.
  bool selfDurations = false;
};

/// One line of the report.
struct ReportRow {
  uint32_t process = 0;                      ///< the first, if several are folded
  uint32_t processes = 0;                    ///< how many are folded; 0: it is this one only
  bool knowsSched = false, hasLane = false;  ///< of any of the threads
  std::optional<uint32_t> thread;            ///< ReportBy::Thread
  const model::Function *function = nullptr; ///< in Report::functions; null for modules and files
  std::string group;                         ///< the module or file
  /// "(n=10)" and "55"; "55, …" if not all calls returned the same; "(…)" if the function has too many lists of
  /// arguments. Empty if nothing was recorded.
  std::string arguments, result;
  FunctionStatistics figures;
  /// With ReportOptions::selfDurations: self times of the calls in figures.durations, without time in which another
  /// thread had the core.
  SelfDurations selves;
};

struct Report {
  Report() = default;
  Report(Report &&) = default; // no copies: rows point to functions
  Report &operator=(Report &&) = default;

  std::vector<ReportRow> rows; ///< in no particular order
  std::deque<model::Function> functions;
  size_t threads = 0; ///< that were read; 0 if the rows are not from a trace
  uint64_t strayExits = 0, missingExits = 0;
  /// Functions whose arguments are "(…)".
  uint64_t collapsedFunctions = 0;
  /// Some call had arguments or a result. Only with ReportOptions::arguments.
  bool hasValues = false;
  bool hasSelfDurations = false; ///< the rows have `selves`
  /// Every function with events; some may occur twice.
  std::vector<model::Function> metFunctions;
  Damage damage;
};

/// Reads the threads, several at a time.
Expected<Report> makeReport(const Trace &trace, const ReportOptions &options);

} // namespace ada::analysis
