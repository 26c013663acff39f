// The files that are installed: pages of the manual, and completions.
#ifndef ADATRACE_MANUAL_FILES_H
#define ADATRACE_MANUAL_FILES_H

#include <string>

namespace ada::cli {

/// Writes them below a directory, as they lie below share/ of an installation. Returns the exit status.
int writeManual(const std::string &directory);

} // namespace ada::cli
#endif // ADATRACE_MANUAL_FILES_H
