// Finishes the traces of killed processes.
#pragma once

#include "terminal/folded_messages.h"
#include "terminal/terminal.h"

#include "ada/trace/recover.h"

#include <optional>
#include <string>

namespace ada::cli {

enum class ProcessState {
  Finished,   ///< the manifest records how the process ended
  Running,    ///< it does not, and the process is alive
  Unfinished, ///< it does not, and the process is gone: recovery may find more events
};

/// The state of the process that records or recorded into a directory pid_N.
ProcessState stateOf(const std::string &directory);

/// How many processes were handled, by outcome, and what was found of those that were recovered.
struct RecoverTotals {
  unsigned recovered = 0, finishedBefore = 0, running = 0, failed = 0;
  uint64_t events = 0, eventsFromRing = 0;
  FoldedMessages complaints{"--each", complain};
};

/// What shows all complaints about a session's processes: "`adatrace recover --each SESSION`".
std::string recoverEach(const std::string &session);

/// Sets how the process ended, by a status that waitpid() has given.
void setEnd(RecoverOptions &options, int status);

/// Recovers one process directory, counts it, and reports the outcome on standard output. With `quiet` it reports only
/// failures, on standard error.
void recoverAndTell(const std::string &directory, const RecoverOptions &options, bool quiet, RecoverTotals &totals);

} // namespace ada::cli
