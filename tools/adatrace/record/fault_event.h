// Keeps the kernel ready to count page faults while programs are recorded.
//
// Each recorded process opens an event that counts its page faults (docs/formats/sched.md). The first such event on a
// machine makes the kernel patch its own code, which interrupts all processors, and so does the end of the last one.
// While another one is there, a process that starts takes some 0.1 ms less.
#pragma once

namespace ada::cli {

class FaultEvent {
public:
  /// Does nothing if the system does not permit it.
  FaultEvent();
  ~FaultEvent();
  FaultEvent(const FaultEvent &) = delete;
  FaultEvent &operator=(const FaultEvent &) = delete;

private:
  int fd_; ///< of an event that counts nothing; not inherited by programs that are started
};

} // namespace ada::cli
