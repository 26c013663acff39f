// Prints which functions are best left out of a trace, and writes the lists that leave them out.
#ifndef ADATRACE_SUGGESTION_LINES_H
#define ADATRACE_SUGGESTION_LINES_H

#include "terminal/terminal.h"
#include "trace/trace_input.h"

#include "analysis/report/suggestion.h"

#include <string>

namespace ada::cli {

/// `path`: the file for the compiler's ignore list; the globs for `record` go to `path` with ".globs" appended. If it
/// is empty, nothing is written. Returns the exit code.
int printSuggestion(Output &out, const Palette &palette, const analysis::Suggestion &suggestion,
                    const TraceInput &input, const std::string &path);

} // namespace ada::cli
#endif // ADATRACE_SUGGESTION_LINES_H
