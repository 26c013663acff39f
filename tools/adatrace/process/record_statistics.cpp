// What a session holds while it is made.
#include "record_statistics.h"
#include "session_place.h"

#include "ada/trace/session.h"
#include "recover/live_ring.h"

namespace ada::cli {

// The counters of a ring file; false if it is gone or is something else.
static bool readRing(const std::string &path, RecordTotals &totals) {
  const std::optional<RingCounters> counters = readRingCounters(path);
  if (!counters)
    return false;
  totals.events = counters->events;
  totals.dropped = counters->lost;
  totals.bytes = counters->bytes;
  totals.threads = counters->threads;
  return true;
}

// Without a ring: what is in the files. True if that is all there will be.
static bool readFiles(const std::string &directory, RecordTotals &totals) {
  totals.threads = totals.events = totals.dropped = 0;
  const auto process =
      atf::ProcessTrace::openLenient(directory, {.checksum = atf::ChecksumPolicy::Defer, .detail = false});
  if (!process)
    return false;
  totals.threads = process->threads().size();
  if (process->manifest())
    totals.dropped = process->manifest()->allLost();
  totals.events = process->eventCount();
  totals.bytes = bytesBelow(directory);
  return process->manifest() && process->manifest()->exit.how != "running";
}

void RecordWatch::refresh(const std::string &directory, Process &process) {
  process.totals.processes = 1;
  if (process.finished)
    return;
  if (process.ring.empty())
    process.ring = ringPathOf(directory);
  if (process.ring.empty() || !readRing(process.ring, process.totals))
    process.finished = readFiles(directory, process.totals);
}

RecordTotals RecordWatch::refresh() {
  RecordTotals sum;
  for (const std::string &directory : processDirectories(session_)) {
    Process &process = processes_[directory];
    refresh(directory, process);
    sum.processes += process.totals.processes;
    sum.threads += process.totals.threads;
    sum.events += process.totals.events;
    sum.dropped += process.totals.dropped;
    sum.bytes += process.totals.bytes;
  }
  return sum;
}

} // namespace ada::cli
