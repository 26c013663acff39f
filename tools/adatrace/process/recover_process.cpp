// Finishes the traces of killed processes.
#include "recover_process.h"
#include "trace/base/quantities.h"

#include "ada/trace/manifest.h"
#include "live/recover/ring_place.h"

#include <sys/wait.h>

namespace ada::cli {

ProcessState stateOf(const std::string &directory) {
  const auto manifest = Manifest::read(directory + "/manifest.json");
  if (manifest && manifest->exit.how != "running") {
    // Whatever the manifest says, a process that still has its ring, or the link to it, is not finished: it called
    // exec, or was killed before it could remove the ring or move on to the next part, or has stopped recording and may
    // go on.
    const recover::RingPlace ring = recover::findRing(directory, *manifest);
    if (ring.path.empty() && !ring.isLinked)
      return ProcessState::Finished;
  }
  return isRecording(directory) ? ProcessState::Running : ProcessState::Unfinished;
}

std::string recoverEach(const std::string &session) {
  return fmt::format("`adatrace recover --each {}`", pathForShell(session));
}

void setEnd(RecoverOptions &options, int status) {
  if (WIFSIGNALED(status))
    options.signal = WTERMSIG(status);
  else
    options.exitCode = WEXITSTATUS(status);
}

void recoverAndTell(const std::string &directory, const RecoverOptions &options, bool quiet, RecoverTotals &totals) {
  const Expected<RecoverResult> result = recoverProcess(directory, options);
  if (!result) {
    if (result.error().code == "E_RUNNING") {
      ++totals.running;
      if (!quiet)
        totals.complaints.add(result.error().text());
      return;
    }
    ++totals.failed;
    totals.complaints.add(result.error().text());
    return;
  }
  for (const Error &failure : result->failures)
    totals.complaints.add(failure.text());
  if (!result->failures.empty())
    ++totals.failed;
  if (!result->wasNeeded) {
    ++totals.finishedBefore;
    if (!quiet)
      Output().print("{}: already finished by the program itself\n", directory);
    return;
  }
  totals.recovered += result->failures.empty();
  totals.events += result->events, totals.eventsFromRing += result->eventsFromRing;
  if (quiet)
    return;
  std::string more = result->ringFound ? formatCount(result->eventsFromRing) + " of them from the ring file"
                                       : "as found in its files, because the ring file is gone";
  if (const uint64_t links = result->linksCleared)
    more += "; the detail of " + formatCount(links, "event") + " had not been written";
  Output().print("{}: {} of {}, {}\n", directory, formatCount(result->events, "event"),
                 formatCount(result->threads, "thread"), more);
}

} // namespace ada::cli
