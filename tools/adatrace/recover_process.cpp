//===- recover_process.cpp - finishing what killed processes left behind --===//
#include "recover_process.h"
#include "quantities.h"
#include "session_place.h"
#include "terminal.h"

#include "ada/trace/manifest.h"

#include <cerrno>
#include <csignal>

namespace ada::cli {

ProcessState stateOf(const std::string &directory) {
  const auto manifest = Manifest::read(directory + "/manifest.json");
  if (manifest && manifest->exit.how != "running")
    return ProcessState::Finished;
  std::optional<uint64_t> pid = processId(directory);
  if (manifest && manifest->pid)
    pid = manifest->pid;
  const bool exists = pid && *pid > 0 && *pid <= 0x7fffffff &&
                      (kill(static_cast<pid_t>(*pid), 0) == 0 || errno == EPERM);
  return exists ? ProcessState::Running : ProcessState::Unfinished;
}

void recoverAndTell(const std::string &directory, const RecoverOptions &options,
                    bool quiet, RecoverTotals &totals) {
  const Expected<RecoverResult> result = recoverProcess(directory, options);
  if (!result) {
    if (result.error().code == "E_RUNNING") {
      ++totals.running;
      if (!quiet)
        complain(result.error().text());
      return;
    }
    ++totals.failed;
    complain(result.error().text());
    return;
  }
  for (const Error &failure : result->failures)
    complain(failure.text());
  if (!result->failures.empty())
    ++totals.failed;
  if (!result->wasNeeded) {
    ++totals.finishedBefore;
    if (!quiet)
      Output().print("{}: was finished by the program itself\n", directory);
    return;
  }
  totals.recovered += result->failures.empty();
  if (quiet)
    return;
  Output().print("{}: {} events of {} thread{}, {}\n", directory,
                 formatCount(result->events), formatCount(result->threads),
                 result->threads == 1 ? "" : "s",
                 result->ringFound
                     ? formatCount(result->eventsFromRing) +
                           " of them from memory that outlived the program"
                     : "as they were in its files: its ring file is gone");
}

} // namespace ada::cli
