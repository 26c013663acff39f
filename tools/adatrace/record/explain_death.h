// Says what the threads of a killed process were doing.
#pragma once

#include "terminal/terminal.h"

#include <string>

namespace ada::cli {

/// Prints it on standard error. The thread that the signal hit, or that recorded last, is shown with its open calls and
/// its last finished calls, each other thread in one line. `directory` is the process's pid_N. What can't be read is
/// reported.
void explainDeath(const std::string &directory, When color);

} // namespace ada::cli
