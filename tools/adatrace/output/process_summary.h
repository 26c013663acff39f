// The processes of a session that has too many to be listed: one line per program and command line.
#pragma once

#include "terminal/terminal.h"

#include "analysis/processes/process_list.h"

namespace ada::cli {

/// Prints the columns of `adatrace processes`, at most analysis::kMaxListed lines, and how each process can be shown.
/// `absolute`: times of the trace's clock.
void printProcessSummary(Output &out, const Palette &palette, const analysis::ProcessList &list, bool absolute,
                         const std::string &path);

} // namespace ada::cli
