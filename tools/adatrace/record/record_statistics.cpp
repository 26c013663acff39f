// Counts what a session holds while it is being made.
#include "record_statistics.h"
#include "process/session_place.h"

#include "ada/trace/session.h"
#include "live/recover/live_ring.h"

#include <algorithm>

namespace ada::cli {

// Reads the counters of a ring file; false if the file is gone or belongs to something else.
static bool readRing(const std::string &path, const std::string &directory, RecordTotals &totals) {
  const std::optional<recover::RingCounters> counters = recover::readRingCounters(path, directory);
  if (!counters)
    return false;
  totals.events = counters->events;
  totals.dropped = counters->lost;
  totals.bytes = counters->bytes;
  totals.threads = counters->threads;
  return true;
}

// Without a ring, counts what is in the files. True if they are complete.
static bool readFiles(const std::string &directory, RecordTotals &totals) {
  totals.threads = totals.events = totals.dropped = 0;
  const auto process =
      atf::ProcessTrace::openLenient(directory, {.checksum = atf::ChecksumPolicy::Defer, .detail = false});
  if (!process)
    return false;
  totals.threads = process->threads().size();
  totals.events = process->eventCount();
  totals.bytes = bytesBelow(directory);
  const Manifest *manifest = process->manifest();
  if (!manifest)
    return false;
  totals.dropped = manifest->allLost();
  if (manifest->part.number > 0) // all parts together number threads from 0
    for (const ManifestThread &thread : manifest->threads)
      totals.threads = std::max(totals.threads, thread.id + 1);
  return manifest->exit.how != "running";
}

void RecordWatch::refresh(const std::string &directory, Process &process) {
  process.totals.processes = 1;
  if (process.finished)
    return;
  if (process.ring.empty()) {
    process.ring = recover::ringPathOf(directory, &process.part);
  }
  if (process.ring.empty() || !readRing(process.ring, directory, process.totals))
    process.finished = readFiles(directory, process.totals);
}

RecordTotals RecordWatch::refresh() {
  RecordTotals sum;
  uint64_t pid = 0, part = 0, threads = 0; // of the process whose part came last
  for (const std::string &directory : processDirectories(session_)) {
    Process &process = processes_[directory];
    refresh(directory, process);
    const uint64_t itsPid = processId(directory).value_or(0);
    if (process.part == 0 || part == 0 || process.part <= part || itsPid != pid) {
      ++sum.processes;
      threads = 0;
    }
    pid = itsPid, part = process.part;
    sum.threads += process.totals.threads - std::min(threads, process.totals.threads);
    threads = std::max(threads, process.totals.threads);
    sum.events += process.totals.events;
    sum.dropped += process.totals.dropped;
    sum.bytes += process.totals.bytes;
  }
  return sum;
}

} // namespace ada::cli
