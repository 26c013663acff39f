// The life of the trace in this process: start, fork, exec, end.
#pragma once

#include "core/base/message.h"
#include "core/drain/drain.h"
#include "core/facts/options.h"
#include "core/facts/timing_anchors.h"
#include "core/images/argument_contents.h"
#include "core/images/images.h"
#include "core/ring/ring.h"
#include "core/ring/tick_clock.h"

namespace ada::runtime {

enum class State : uint32_t {
  NotStarted, // no instrumented image has been loaded yet
  Off,        // a wrong option, no directory, no memory: runs untraced
  On,
  Waiting,  // nothing has been recorded in this process: no directory, ring or drain. Starts with the first event
  Finished, // files are complete; later events are lost
};

// Shared by a process and the children that it forks before anything is recorded: they have one session.
struct SharedSession {
  enum : uint32_t { None, BeingMade, Made };
  uint32_t state;
  uint32_t number; // in the directory's name: session_…, session_…_2
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
  bool beganLate = false;               // calls were open when recording began, and their ends may be recorded
  Message *orderProblem = nullptr;      // while an order starts recording: what is wrong goes here
  uint32_t processId = 0;               // of the memory's owner: a vfork child has another
  uint32_t stackBytes = 0;              // stack window of detail events
  ArgumentContents::Sizes contentSizes; // of the contents in detail events
  bool readsContents = false;           // whether any are read
  bool forbidsCounter = false;          // the thread that began to record may not read the CPU's counter
  Path sessionDirectory;                // absolute
  bool sessionIsMade = false;
  SharedSession *shared = nullptr;
  uint32_t *isOriginal = nullptr; // 1 in the process that wrote it: a copied process finds 0
  Path processDirectory;          // in memory while it is a flight recorder
  Mutex startMutex;

  State currentState() const { return static_cast<State>(__atomic_load_n(&state, __ATOMIC_ACQUIRE)); }
  void setState(State s);
};

extern Runtime runtime;

// Called for the first image: reads the options.
void startOnce();
// Called at the first event of a process, including a forked child: creates the directory and ring, and starts the
// drain. Async-signal-safe. With signals blocked. False if recording stays off.
bool startRecording(bool startsParked = false);
// Finds what a time namespace adds to the clock, where that is not known yet. Async-signal-safe.
void findClock();
// Checks whether this process is a copy that was made without libc's fork(): then it gets its own ring, as children of
// fork do. In all other cases this is a single load.
void separateCopiedProcess();
// Creates the directory and any missing parents. Returns 0 or a negative errno. One caller at a time: the thread that
// holds the start lock, or the drain.
int makeDirectories(const char *path);
// Ends the trace, as at exit(). Idempotent.
void finishProcess(int status);

} // namespace ada::runtime
