// Dumps everything in a file, in the terms of its format.
#ifndef ADATRACE_RAW_DUMP_H
#define ADATRACE_RAW_DUMP_H

#include "trace_input.h"

#include <optional>

namespace ada::cli {

/// Dumps the file if its format has its own frames or records, and returns the exit status. Returns nothing if the
/// input is a session or an index file; an index file on standard input gets a path that can be opened.
std::optional<int> dumpRaw(InputOptions &options, bool json, bool merged);

} // namespace ada::cli
#endif // ADATRACE_RAW_DUMP_H
