// The lines with which a program reports on its trace when it ends.
#include "summary.h"

#include "core/base/message.h"
#include "session.h"
#include "standard_error.h"

#include <errno.h>

namespace ada::runtime {

// What to do before recovery, if a write has failed with that error.
static const char *firstStep(int error) {
  return error == -ENOSPC || error == -EDQUOT ? "Free some space"
         : error == -EFBIG                    ? "Allow larger files (ulimit -f)"
                                              : "Mend this";
}

// Why the trace is not whole, and what can be done.
static void reportFailure(const char *failure, uint64_t lost) {
  const Drain &drain = runtime.drain;
  if (runtime.options.isFlight())
    return say(Message(failure));
  if (drain.isDeleted())
    return say(Message(drain.directory())
               << " was deleted while the program ran: there is no trace of process " << recorder.processId << '.');
  const Message what = Message() << failure << ". " << lost << " events were lost";
  if (drain.isComplete())
    return say(Message(what) << "; what was written before is complete.");
  sayWithCommand(Message(what) << ". " << firstStep(drain.failedWith()), ", then run: adatrace recover ",
                 drain.directory());
}

void printSummary() {
  Runtime &r = runtime;
  const char *failure = r.drain.failure();
  ada_ring_header &h = recorder.ring.header();
  uint64_t lost = h.events_lost;
  if (failure[0])
    reportFailure(failure, lost);
  if (failure[0] && (r.options.isFlight() || r.drain.isDeleted()))
    return;
  bool wanted = r.options.summary[1] == 'l';
  if (r.options.summary[1] == 'u') // auto
    wanted = isStandardErrorTerminal();
  if (!wanted)
    return;
  Message m;
  m << h.events_written << " events of " << h.threads_seen << (h.threads_seen == 1 ? " thread" : " threads");
  if (lost && !failure[0])
    m << " (" << lost << " lost)";
  const bool isFlight = r.options.isFlight();
  if (isFlight && !r.drain.lastDump()[0])
    return say(m << " were kept in memory, and nothing triggered writing them");
  if (isFlight)
    m << "; the newest are in " << r.drain.lastDump();
  else
    m << " in " << (r.options.rotates() ? r.sessionDirectory : r.processDirectory).c_str();
  sayWithCommand(m, "; next: adatrace tree ", isFlight ? r.drain.lastDump() : r.sessionDirectory.c_str());
}

} // namespace ada::runtime
