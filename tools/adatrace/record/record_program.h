// Runs and records a program: `adatrace record PROGRAM`.
#pragma once

#include "record_options.h"

namespace ada::cli {

/// Returns the exit status of `record`: the program's own, or as exit_codes.h has it.
int recordProgram(const RecordOptions &options, const std::vector<std::string> &program, When color);

} // namespace ada::cli
