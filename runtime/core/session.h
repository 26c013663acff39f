// The life of the trace in this process: start, fork, exec, end.
#ifndef ADA_RUNTIME_CORE_SESSION_H
#define ADA_RUNTIME_CORE_SESSION_H

#include "argument_contents.h"
#include "drain.h"
#include "images.h"
#include "options.h"
#include "ring.h"
#include "tick_clock.h"
#include "timing_anchors.h"

namespace ada {

enum class State : uint32_t {
  NotStarted, // no instrumented image has been loaded yet
  Off,        // a wrong option, no directory, no memory: runs untraced
  On,
  Waiting,  // nothing has been recorded in this process: no directory, ring or drain. Starts with the first event
  Finished, // files are complete; what is recorded now is lost
};

// Between a process and the children that it forks before anything is recorded: they share one session.
struct SharedSession {
  enum : uint32_t { None, BeingMade, Made };
  uint32_t state;
  uint32_t number; // of the directory's name: session_…, session_…_2
};

struct Runtime {
  Options options = {};
  TriggerRules triggers;
  Ring ring;
  Images images;
  Drain drain;
  TickClock ticks;
  TimingAnchors timingAnchors;
  uint32_t state = 0;                   // (atomic) State
  bool recording = false;               // between ada_start and ada_stop
  uint32_t processId = 0;               // whom the memory belongs to: a vfork child has another
  uint32_t stackBytes = 0;              // stack window of detail events
  ArgumentContents::Sizes contentSizes; // of what detail events hold
  bool readsContents = false;           // at all
  Path sessionDirectory;                // absolute
  bool sessionIsMade = false;
  SharedSession *shared = nullptr;
  uint32_t *isOriginal = nullptr; // 1 in the process that wrote it: a copied process finds 0
  Path processDirectory;          // in memory while it is a flight recorder
  Mutex startMutex;

  State currentState() const { return (State)__atomic_load_n(&state, __ATOMIC_ACQUIRE); }
  void setState(State s) { __atomic_store_n(&state, (uint32_t)s, __ATOMIC_RELEASE); }
};

extern Runtime runtime;

// Called with the first image: reads the options.
void startOnce();
// With the first event of a process, a forked child included: makes directory and ring, starts the drain.
// Async-signal-safe. False if it stays off.
bool startRecording();
// Finds out whether this process is a copy that was made without libc's fork(): then it gets a ring of its own, as
// fork's children do. A load in all other cases.
void separateCopiedProcess();
// Ends the trace; as from exit(). Idempotent.
void finishProcess(int status);

} // namespace ada
#endif
