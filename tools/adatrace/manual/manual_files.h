// The files that are installed: pages of the manual, and completions.
#pragma once

#include <string>

namespace ada::cli {

/// Writes them below a directory, as they lie below share/ of an installation. Returns the exit status.
int writeManual(const std::string &directory);

} // namespace ada::cli
