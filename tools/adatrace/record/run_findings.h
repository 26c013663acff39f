// Finds in the session of a run what its user should know.
//
// These are functions that the budget switched off, globs without a function, and missing on-CPU times.
#pragma once

#include "options/runtime_options.h"

#include <string>
#include <vector>

namespace ada::cli {

struct FunctionsOff {
  std::string told;  ///< a sentence for people; empty if there are no such functions
  std::string globs; ///< leave the functions out with `record --exclude`; empty if they are too long for a line
};

/// What the manifests of a session say, for all of its processes together.
struct RunFindings {
  FunctionsOff off;
  /// Why processor times are missing: the reason of the first process that could not record them. Empty if all could.
  /// Bounded traces never have them.
  std::string whyNoProcessorTimes;
  std::vector<std::string> failures; ///< of recorders
};
RunFindings findingsOf(const std::string &session);

/// Warns about each glob in a run's options that matches no function of its processes, and suggests similar names.
void tellUnmatchedGlobs(const std::string &session, const OptionList &options);
/// Whether any process of the session could record calls of libraries.
bool hasLibraryCalls(const std::string &session);

} // namespace ada::cli
