// Finds out which processes of a session are gone.
#include "formats/native/session/living.h"

#include "ada/trace/recover.h"
#include "formats/native/directories.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"

namespace ada::atf {

// One warning for all: what a user does about ten thousand of them is the same.
static Warning unfinishedWarning(const Session &session, size_t count, const std::string &last) {
  const std::string &path = count > 1 ? session.path() : last;
  const std::string who = count > 1
                              ? formatCount(count) + " processes were killed, or ended without exit(), before they"
                              : "the process was killed, or ended without exit(), before it";
  return {"W_UNFINISHED",
          fmt::format("{}: {} finished {}; {} completes {}", path, who, count > 1 ? "their traces" : "its trace",
                      recoveryOf(path), count > 1 ? "them" : "it")};
}

Living::Living(const Session &session) {
  size_t unfinished = 0;
  std::string last;
  for (const ProcessTrace &process : session.processes()) {
    const Manifest *manifest = process.manifest();
    const bool runs = manifest && manifest->exit.how == "running";
    const bool isGone = runs && isUnfinished(process.path(), *manifest);
    areRecording_.push_back(runs && !isGone);
    unfinished += isGone;
    if (isGone)
      last = process.path();
  }
  if (unfinished)
    warnings_.push_back(unfinishedWarning(session, unfinished, last));
}

} // namespace ada::atf
