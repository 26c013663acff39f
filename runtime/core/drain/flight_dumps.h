// The flight recorder's dumps: those that are asked for, and the last one.
//
// ask() and noteFatalSignal() may be called by any thread, and are async-signal-safe; the rest is for the drain thread.
#pragma once

#include "core/facts/ending.h"
#include "dump.h"

namespace ada::runtime {

class ProcessWriter;

// Zero-initialised, it belongs to a process that is not a flight recorder.
class FlightDumps {
public:
  // `directory`: the process's. `session`: where the dumps go. Both must outlive this.
  void start(ProcessWriter &trace, const char *directory, const char *session) {
    trace_ = &trace, directory_ = directory, session_ = session;
  }
  bool isOn() const { return trace_ != nullptr; }

  // Asks for a dump. The drain must be woken. `isUrgent`: the calling thread is about to die, and waits for it.
  void ask(bool isUrgent) {
    const uint32_t number = __atomic_add_fetch(&asked_, 1, __ATOMIC_RELEASE);
    if (isUrgent)
      __atomic_store_n(&urgent_, number, __ATOMIC_RELEASE);
  }
  // The process will die of this signal when its handler returns. Call it before ask().
  void noteFatalSignal(int number) { __atomic_store_n(&fatalSignal_, number, __ATOMIC_RELAXED); }

  // How many were asked for. Before a pass: that pass takes everything that was recorded before they were.
  uint32_t asked() const { return __atomic_load_n(&asked_, __ATOMIC_ACQUIRE); }
  bool hasBegun(uint32_t asked) const { return asked == begun_; }
  bool isUrgent() const { return __atomic_load_n(&urgent_, __ATOMIC_RELAXED) != 0; }
  // Begins a dump, or continues one. `asked`: asked() before the last pass. True if there is more to copy. `toTheEnd`:
  // complete all of them, because the dump that is being copied may be older than the last request. `ending` and
  // `status`: of the process, as far as known.
  bool write(uint32_t asked, bool toTheEnd, Ending ending, int status);
  // At the end of the process: makes a last dump if the exit status shows a failure.
  void finish(int status);
  // Everything is in files. After a failed dump only memory has the trace; otherwise that is removed.
  void removeMemory() const;

  // The session of the last dump; empty if there was none.
  const char *session() const { return dump_.session(); }
  // After a failed dump: a description of what failed; otherwise empty.
  const char *failure() const { return failure_.c_str(); }
  bool hasFailed() const { return !failure_.empty(); }

private:
  int begin(Ending ending, int status);
  void endUrgent();

  ProcessWriter *trace_ = nullptr;
  const char *directory_ = nullptr, *session_ = nullptr;
  uint32_t asked_ = 0;   // (atomic)
  uint32_t urgent_ = 0;  // (atomic) the number in asked_ of the dump that a thread waits for; 0 if none
  int fatalSignal_ = 0;  // (atomic) the signal that is about to end the process
  uint32_t begun_ = 0;   // of asked_
  int signalOfDump_ = 0; // given as the process's end in the last dump; also 0 if that failed
  Dump dump_;
  Text<512> failure_;
};

} // namespace ada::runtime
