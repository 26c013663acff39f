// session.h - the life of the trace in this process: start, fork, exec, end.
#ifndef ADA_RUNTIME_CORE_SESSION_H
#define ADA_RUNTIME_CORE_SESSION_H

#include "drain.h"
#include "images.h"
#include "options.h"
#include "ring.h"

namespace ada {

enum class State : uint32_t {
  NotStarted, // no instrumented image has been loaded yet
  Off,        // a wrong option, no directory, no memory: runs untraced
  On,
  Forked,   // a child that has not recorded anything: starts with its first event
  Finished, // files are complete; what is recorded now is lost
};

struct Runtime {
  Options options = {};
  TriggerRules triggers;
  Ring ring;
  Images images;
  Drain drain;
  uint32_t state = 0;     // (atomic) State
  bool recording = false; // between ada_start and ada_stop
  uint32_t processId = 0;
  uint32_t stackBytes = 0; // stack window of detail events
  Path sessionDirectory; // absolute
  Path processDirectory;
  Mutex startMutex;

  State currentState() const { return (State)__atomic_load_n(&state, __ATOMIC_ACQUIRE); }
  void setState(State s) { __atomic_store_n(&state, (uint32_t)s, __ATOMIC_RELEASE); }
  // Nanoseconds or counter, as this process's records are stamped.
  uint64_t stamp() {
    return ring.header().clock == ADA_CLOCK_SYSTEM ? sys::nowNs() : arch::readCounter();
  }
};

extern Runtime runtime;

// Called with the first image: reads the options, makes directory and ring, starts the drain.
void startOnce();
// In a forked child, from its first event. Async-signal-safe. False if it stays off.
bool startChild();
// Ends the trace; as from exit(). Idempotent.
void finishProcess(int status);

} // namespace ada
#endif
