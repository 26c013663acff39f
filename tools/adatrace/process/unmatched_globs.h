// Globs of a run that meant no function of the program.
#ifndef ADATRACE_UNMATCHED_GLOBS_H
#define ADATRACE_UNMATCHED_GLOBS_H

#include "options/runtime_options.h"

#include <string>

namespace ada::cli {

/// Warns of each glob among the options of a run that matches no function of its processes, and says what is near to
/// it.
void tellUnmatchedGlobs(const std::string &session, const OptionList &options);
/// Whether any process of the session could record calls of libraries.
bool hasLibraryCalls(const std::string &session);

} // namespace ada::cli
#endif // ADATRACE_UNMATCHED_GLOBS_H
