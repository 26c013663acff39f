// Finds globs of a run that match no function of the program.
#ifndef ADATRACE_UNMATCHED_GLOBS_H
#define ADATRACE_UNMATCHED_GLOBS_H

#include "options/runtime_options.h"

#include <string>

namespace ada::cli {

/// Warns about each glob in a run's options that matches no function of its processes, and suggests similar names.
void tellUnmatchedGlobs(const std::string &session, const OptionList &options);
/// Whether any process of the session could record calls of libraries.
bool hasLibraryCalls(const std::string &session);

} // namespace ada::cli
#endif // ADATRACE_UNMATCHED_GLOBS_H
