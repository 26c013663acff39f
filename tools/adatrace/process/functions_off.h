// Finds the functions that a run's budget switched off.
#ifndef ADATRACE_FUNCTIONS_OFF_H
#define ADATRACE_FUNCTIONS_OFF_H

#include <string>

namespace ada::cli {

struct FunctionsOff {
  std::string told;  ///< a sentence for people; empty if there are no such functions
  std::string globs; ///< leave the functions out with `record --exclude`; empty if they are too long for a line
};

/// For all processes of a session together.
FunctionsOff functionsOff(const std::string &session);

} // namespace ada::cli
#endif // ADATRACE_FUNCTIONS_OFF_H
