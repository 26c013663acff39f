// Explains how a recorded program died.
#ifndef ADATRACE_CRASH_LINES_H
#define ADATRACE_CRASH_LINES_H

#include "terminal.h"

#include <string>

namespace ada::cli {

/// Prints on standard error what the threads of a killed process were in: the one that recorded last with its open
/// calls and the last ones before, the others in a line each. `directory` is its pid_N.
void explainDeath(const std::string &directory, ColorMode color);

} // namespace ada::cli
#endif // ADATRACE_CRASH_LINES_H
