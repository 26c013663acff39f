// Prints how threads ended, as text: their open calls, and the last calls before.
#pragma once

#include "function_names.h"
#include "input/stack_table.h"
#include "options/table_options.h"
#include "terminal/terminal.h"

#include <string>

namespace ada::cli {

struct StackLineOptions {
  NameOptions names = {};
  TableOptions table = {};
  size_t mostFrames = 100; ///< per thread; the innermost and the outermost frames are shown
};

/// Prints a heading with the thread, its open calls with the innermost first, and its last finished calls, if any.
void printStack(Output &out, const Palette &palette, const StackTable &table, const analysis::ThreadEnd &end,
                const StackLineOptions &options);
/// Prints the stack in one line: "thread 3 (tid 4711, worker): wait < loop < main".
void printStackLine(Output &out, const Palette &palette, const StackTable &table, const analysis::ThreadEnd &end,
                    const StackLineOptions &options);

/// The function, with arguments if they were read.
std::string callText(const StackTable &table, const analysis::EndCall &call, NameStyle style);
/// How long the call has been open: until the end of the trace, or until now.
uint64_t openNs(const StackTable &table, uint32_t thread, const Span &span);
/// " → 55", " (exception)": the result and how the call ended; empty if it returned and no result is known.
std::string endingText(const analysis::EndCall &call);

} // namespace ada::cli
