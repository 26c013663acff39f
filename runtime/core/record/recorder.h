// What the program's threads need to record. All of them share it; the session sets it up.
#pragma once

#include "core/images/argument_contents.h"
#include "core/ring/ring.h"
#include "core/ring/tick_clock.h"

namespace ada::runtime {

class Selection;

enum class State : uint32_t {
  NotStarted, // no instrumented image has been loaded yet
  Off,        // a wrong option, no directory, no memory: runs untraced
  On,
  Waiting,  // nothing has been recorded in this process: no directory, ring or drain. Starts with the first event
  Finished, // files are complete; later events are lost
};

struct Recorder {
  uint32_t state = 0;     // (atomic) State
  uint32_t processId = 0; // of the memory's owner: a vfork child has another
  Mutex startMutex;
  Ring ring;
  TickClock ticks;
  bool beganLate = false;               // calls were open when recording began, and their ends may be recorded
  bool dropsOverflow = false;           // option overflow
  uint32_t stackBytes = 0;              // stack window of detail events
  ArgumentContents::Sizes contentSizes; // of the contents in detail events
  bool readsContents = false;           // whether any are read, and then
  const Selection *selection = nullptr; // of which arguments

  State currentState() const { return static_cast<State>(__atomic_load_n(&state, __ATOMIC_ACQUIRE)); }
};

extern Recorder recorder;

//===--- defined by the session -------------------------------------------===//

// Called at the first event of a process, including a forked child: creates the directory and ring, and starts the
// drain. Async-signal-safe. With signals blocked. False if recording stays off.
bool startRecording(bool startsParked = false);
// Checks whether this process is a copy that was made without libc's fork(): then it gets its own ring, as children of
// fork do. In all other cases this is a single load.
void separateCopiedProcess();

} // namespace ada::runtime
