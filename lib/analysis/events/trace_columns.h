// Columns that many tables have: the process and the thread that a row is about.
#pragma once

#include "trace/base/table.h"
#include "trace_table.h"

#include <algorithm>
#include <string>

namespace ada::analysis {

/// The first of the facts about any table: the trace has several processes.
inline constexpr Facts kSeveralProcesses = 1;
inline Facts processFacts(const TraceTable &trace) { return trace.processes.size() > 1 ? kSeveralProcesses : 0; }

inline constexpr ColumnInfo kPid = ColumnInfo{"pid", Holds::Number, "see above"} | kOrNull | kNotInCsv;
inline constexpr ColumnInfo kProcess = ColumnInfo{"process"} | inText("process", 12) | textNeeds(kSeveralProcesses);
/// In text, the process is a part of something else.
inline constexpr ColumnInfo kProcessInOther = ColumnInfo{"process"};
inline constexpr ColumnInfo kThread = ColumnInfo{"thread", Holds::Number};
inline constexpr ColumnInfo kTid = ColumnInfo{"tid", Holds::Number};
/// For functions by name.
inline constexpr ColumnInfo kFunction =
    ColumnInfo{"function", Holds::Text, "in the style of `--names`"} | inText("function", 0, 9) | Look::Name;
inline constexpr ColumnInfo kSource = ColumnInfo{"source", Holds::Text, "file and line of the function"} | kOrNull;

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
