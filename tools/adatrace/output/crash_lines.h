// Explains how a recorded program died.
#ifndef ADATRACE_CRASH_LINES_H
#define ADATRACE_CRASH_LINES_H

#include "terminal/terminal.h"

#include <string>

namespace ada::cli {

/// Prints on standard error what the threads of a killed process were doing. The thread that recorded last is shown
/// with its open calls and its last finished calls, each other thread in one line. `directory` is the process's pid_N.
void explainDeath(const std::string &directory, When color);

} // namespace ada::cli
#endif // ADATRACE_CRASH_LINES_H
