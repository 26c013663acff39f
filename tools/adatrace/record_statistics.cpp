//===- record_statistics.cpp - what a session holds while it is made ------===//
#include "record_statistics.h"
#include "session_place.h"

#include "ada/ring_file.h"
#include "ada/trace/session.h"

#include <fcntl.h>
#include <unistd.h>

namespace ada::cli {

// The counters of a ring file; false if it is gone or is something else.
static bool readRing(const std::string &path, RecordTotals &totals) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return false;
  ada_ring_header header;
  const ssize_t got = pread(fd, &header, sizeof header, 0);
  close(fd);
  if (got != sizeof header || header.magic != ADA_RING_MAGIC ||
      header.abi_version != ADA_ABI_VERSION)
    return false;
  totals.events = header.events_written;
  totals.dropped = header.events_lost;
  totals.bytes = header.bytes_written;
  totals.threads = header.threads_seen;
  return true;
}

// Without a ring: what is in the files. True if that is all there will be.
static bool readFiles(const std::string &directory, RecordTotals &totals) {
  totals.threads = totals.events = totals.dropped = 0;
  const auto process = atf::ProcessTrace::openLenient(
      directory, {.checksum = atf::ChecksumPolicy::Defer, .detail = false});
  if (!process)
    return false;
  for (const atf::ThreadTrace &thread : process->threads()) {
    ++totals.threads;
    if (thread.info)
      for (const auto &[reason, count] : thread.info->dropped)
        totals.dropped += count;
  }
  totals.events = process->eventCount();
  totals.bytes = bytesBelow(directory);
  return process->manifest() && process->manifest()->exit.how != "running";
}

// Where the manifest says that the ring file is; empty if it doesn't.
static std::string ringPath(const std::string &directory) {
  const auto manifest = Manifest::read(directory + "/manifest.json");
  if (manifest)
    for (const auto &[field, value] : manifest->recorder)
      if (field == "ring")
        return value;
  return {};
}

void RecordWatch::refresh(const std::string &directory, Process &process) {
  process.totals.processes = 1;
  if (process.finished)
    return;
  if (process.ring.empty())
    process.ring = ringPath(directory);
  if (process.ring.empty() || !readRing(process.ring, process.totals))
    process.finished = readFiles(directory, process.totals);
}

RecordTotals RecordWatch::refresh() {
  RecordTotals sum;
  for (const std::string &directory : processDirectories(session)) {
    Process &process = processes[directory];
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
