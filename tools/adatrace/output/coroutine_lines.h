// Prints coroutines: their logical call tree, or each coroutine.
#ifndef ADATRACE_COROUTINE_LINES_H
#define ADATRACE_COROUTINE_LINES_H

#include "function_names.h"
#include "terminal.h"
#include "trace/trace_input.h"

#include "analysis/waits/coroutines.h"

#include <string>
#include <vector>

namespace ada::cli {

struct CoroutineLineOptions {
  NameOptions names;
  std::string format = "text";
};

/// The folded tree; docs/json.md has the keys of `coroutines`.
void printCoroutineTree(Output &out, const Palette &palette, const TraceInput &input,
                        const std::vector<analysis::CoroutineNode> &nodes, const CoroutineLineOptions &options);

/// The coroutines with these numbers, one line each; docs/json.md has the keys of `coroutines --each`.
void printEachCoroutine(Output &out, const Palette &palette, const TraceInput &input,
                        const analysis::Coroutines &coroutines, const std::vector<uint32_t> &which,
                        const CoroutineLineOptions &options);

} // namespace ada::cli
#endif // ADATRACE_COROUTINE_LINES_H
