// Which process at the other end of a pipe let another one go on, as far as times show it.
//
// Manifests have the pipes that standard input, output and error were. If one process has a pipe as its input and
// another one has it as its output, each may wait for the other: until there is something to read, or room to write.
// If no traced process reads a pipe that a process writes to (or the other way round), it is taken to be of the nearest
// ancestor that has other standard streams: that one has made it, as popen() does.
//
// The kernel does not report who woke whom. So the process that was on-CPU last while another one waited counts as the
// one that woke it, at the end of that time. If several were at about the same moment, it is the one that was on-CPU
// for longest during the wait.
#pragma once

#include "process_list.h"

namespace ada::analysis {

/// Who let a process go on, and the last moment at which it can have done so.
struct PipeWake {
  uint32_t run = kNoProcess; ///< in ProcessList::all; kNoProcess: nobody that is known
  uint64_t ns = 0;
};

/// Both arguments must outlive it. Any thread may ask.
class ProcessPipes {
public:
  ProcessPipes(const ProcessList &list, const TraceTable &table);

  bool hasPeers(uint32_t run) const { return !peers_[run].empty(); }
  /// Who ended a process's wait, for which it was off-CPU from `fromNs` to `toNs`.
  PipeWake wakeOf(uint32_t run, uint64_t fromNs, uint64_t toNs) const;

private:
  struct Peer {
    uint32_t run;
    uint64_t endNs; // the latest end of this one and those before it
  };

  const ProcessList &list_;
  const TraceTable &table_;
  std::vector<std::vector<Peer>> peers_;       // by run: those at the other ends of its pipes, by begin
  std::vector<std::vector<uint32_t>> threads_; // by run, if it has peers
};

} // namespace ada::analysis
