// What the runtime keeps for each thread of the traced program.
#pragma once

#include "shared/ring/lost_calls.h"
#include "shared/ring/ring_file.h"

// A position that the hooks take for "chunk full": the thread has no chunk.
inline constexpr uint64_t kPositionParked = ADA_CHUNK_FULL;

struct ada_fiber;

extern "C" {

// The trampolines use `position` and `stack`, at offsets 0 and 8. It is initial-exec, so that they reach it without a
// call; the runtime takes 200 bytes of the static TLS that glibc reserves for libraries that are loaded late. Plain
// data without a destructor: it must work from a thread's first instruction to its last.
struct AdaThread {
  uint64_t position;           // address of the next record, see trampolines.S
  uint64_t stack;              // where its stack window begins, see stack_window.h; 0: not set yet
  uint64_t systemPosition;     // the same with clock=system, where `position` stays parked
  ada_ring_thread *slot;       // null until the thread's first event, and after its last
  ada_chunk *chunk;            // the newest chunk of this thread
  uint64_t nextSeq;            // sequence number of its next chunk
  uint32_t busy;               // inside the slow path, or ended: events are not recorded
  uint32_t exitRounds;         // how often the thread-exit callback has run
  ada_fiber *fiber = nullptr;  // the fiber whose calls are recorded: see fibers.h. Null until needed
  bool isFiber = false;        // not on a thread's own stack
  bool hasLost = false;        // more was lost than its records say
  bool hasSignalStack = false; // or may have one: __ada_before_signal_stack was called
  bool isWatched = false;      // its end will be noticed: watchThread()
  bool hasOwnFiles = false;    // of the runtime's own threads: its table of open files is not the program's,
  bool readsCounter = false;   // and it may read the CPU's counter, whatever the program forbids itself
  uint64_t resumeAt = 0;       // the position before __ada_before_clone; 0 unless that hook was the last one called
  ada_fiber *own = nullptr;    // the fiber that is the thread's own stack; null until needed
  void *token = nullptr;       // what __ada_fiber_current returns; null: it has to look
  uint64_t signalStack = 0, signalStackBytes = 0; // where handlers run, as the kernel said after the last change
  uint64_t jumpEnd = 0, jumpFrame = 0;            // the position after the last landing, and its frame
  ada::ring::LostCalls lostCalls = {};            // while records were being lost
};

extern __thread AdaThread ada_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Records `what` (entry | kind) if the fast path can't: `place`, which it has reserved, is at or past the end of a
// chunk, or the call is outside the window. `nest`: that register's value for a call, otherwise 0.
__attribute__((visibility("hidden"))) void ada_record_slow(uint64_t what, const char *nest, uint64_t place);
}

static_assert(sizeof(AdaThread) == 200, "as the comment says");

namespace ada::runtime {

// Before the calling thread, or its process, ends: has the jumps recorded that it made while its records were lost.
// Nothing else counts the calls that they have left.
void reportLostCalls(AdaThread &t);
// Nothing more will be recorded with this state.
void forgetLostCalls(AdaThread &t);

} // namespace ada::runtime
