// Finishing what killed processes left behind.
#ifndef ADATRACE_RECOVER_PROCESS_H
#define ADATRACE_RECOVER_PROCESS_H

#include "ada/trace/recover.h"

#include <optional>
#include <string>

namespace ada::cli {

enum class ProcessState {
  Finished,   ///< the manifest says how it ended
  Running,    ///< it does not, and the process is alive
  Unfinished, ///< it does not, and there is none: recovery may find more events
};

/// State of the process that records, or recorded, into a directory pid_N.
ProcessState stateOf(const std::string &directory);

/// How many were dealt with, and how.
struct RecoverTotals {
  unsigned recovered = 0, finishedBefore = 0, running = 0, failed = 0;
};

/// Recovers one process directory, says what happened (on standard output; with
/// `quiet` only what went wrong, on standard error) and counts it.
void recoverAndTell(const std::string &directory, const RecoverOptions &options, bool quiet, RecoverTotals &totals);

} // namespace ada::cli
#endif // ADATRACE_RECOVER_PROCESS_H
