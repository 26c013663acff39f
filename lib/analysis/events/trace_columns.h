// Columns that many tables have: the process and the thread that a row is about.
#ifndef ADA_LIB_ANALYSIS_TRACE_COLUMNS_H
#define ADA_LIB_ANALYSIS_TRACE_COLUMNS_H

#include "base/table.h"
#include "trace_table.h"

#include <algorithm>
#include <string>

namespace ada::analysis {

/// The first of the facts about any table: the trace has several processes.
inline constexpr Facts kSeveralProcesses = 1;
inline Facts processFacts(const TraceTable &trace) { return trace.processes.size() > 1 ? kSeveralProcesses : 0; }

inline constexpr ColumnInfo kPid = {
    .key = "pid", .holds = Holds::Number, .orNull = true, .help = "see above", .csv = kNever};
inline constexpr ColumnInfo kProcess = {.key = "process",
                                        .heading = "process",
                                        .text = kSeveralProcesses,
                                        .blank = kSeveralProcesses,
                                        .width = 12};
/// In text, the process is a part of something else.
inline constexpr ColumnInfo kProcessInOther = {.key = "process", .blank = kSeveralProcesses};
inline constexpr ColumnInfo kThread = {.key = "thread", .holds = Holds::Number};
inline constexpr ColumnInfo kTid = {.key = "tid", .holds = Holds::Number};
/// For functions by name.
inline constexpr ColumnInfo kFunction = {
    .key = "function", .heading = "function", .help = "in the style of `--names`", .look = Look::Name, .order = 9};
inline constexpr ColumnInfo kSource = {.key = "source", .orNull = true, .help = "file and line of the function"};

/// "dir/file.cpp:12", or empty.
inline std::string sourceOf(const model::Function &function) {
  return function.file.empty() || function.line == 0 ? function.file
                                                     : function.file + ":" + std::to_string(function.line);
}

/// Calls below this depth are not indented further; their depth is printed instead.
inline constexpr uint32_t kDeepestIndent = 50;
inline std::string indentOf(uint32_t depth) {
  return std::string(2 * size_t(std::min(depth, kDeepestIndent)), ' ') +
         (depth > kDeepestIndent ? "(depth " + std::to_string(depth) + ") " : "");
}

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_TRACE_COLUMNS_H
