// Prints coroutines: their logical call tree, or each coroutine.
#ifndef ADATRACE_COROUTINE_LINES_H
#define ADATRACE_COROUTINE_LINES_H

#include "function_names.h"
#include "options/table_options.h"
#include "terminal/terminal.h"
#include "trace/trace_input.h"

#include "analysis/waits/coroutine_table.h"

#include <vector>

namespace ada::cli {

struct CoroutineLineOptions {
  NameOptions names;
  TableOptions table;
};

/// The folded tree.
void printCoroutineTree(Output &out, const Palette &palette, const TraceInput &input,
                        const std::vector<analysis::CoroutineNode> &nodes, const CoroutineLineOptions &options);

/// The coroutines with these numbers, one line each.
void printEachCoroutine(Output &out, const Palette &palette, const TraceInput &input,
                        const analysis::Coroutines &coroutines, const std::vector<uint32_t> &which,
                        const CoroutineLineOptions &options);

} // namespace ada::cli
#endif // ADATRACE_COROUTINE_LINES_H
