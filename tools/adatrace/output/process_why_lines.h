// Prints why a process, or a session of processes, took as long as it did.
#pragma once

#include "analysis/processes/process_why.h"
#include "terminal/terminal.h"

namespace ada::cli {

void printProcessWhy(Output &out, const Palette &palette, const analysis::ProcessWhy &why, uint64_t limit,
                     double minPercent);
void printProcessWhyJson(Output &out, const analysis::ProcessWhy &why);

} // namespace ada::cli
