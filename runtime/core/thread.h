// What the runtime keeps for each thread of the traced program.
#ifndef ADA_RUNTIME_CORE_THREAD_H
#define ADA_RUNTIME_CORE_THREAD_H

#include "shared/ring/lost_calls.h"
#include <ada/ring_file.h>

// A position that the hooks take for "chunk full": the thread has no chunk.
#define ADA_POSITION_PARKED ((uint64_t)ADA_CHUNK_FULL)

struct ada_fiber;

extern "C" {

// The trampolines use `position` and `stack`, at offsets 0 and 8. Initial-exec, so that they reach it without a call;
// the runtime takes 176 bytes of the static TLS that glibc keeps free for libraries that are loaded late. Plain data
// without a destructor: it must work from a thread's first instruction to its last.
struct AdaThread {
  uint64_t position;           // address of the next record, see trampolines.S
  uint64_t stack;              // where the window of its stack begins, see stack_window.h; 0: nowhere yet
  uint64_t systemPosition;     // the same with clock=system, where `position` stays parked
  ada_ring_thread *slot;       // null until the thread's first event, and after its last
  ada_chunk *chunk;            // the newest chunk of this thread
  uint64_t nextSeq;            // sequence number of its next chunk
  uint32_t busy;               // inside the slow path, or ended: events are not recorded
  uint32_t exitRounds;         // how often the thread-exit callback has run
  ada_fiber *fiber = nullptr;  // whose calls are recorded: see fibers.h. Null until somebody asks
  bool isFiber = false;        // no thread's own stack
  bool hasLost = false;        // more than its records tell
  bool hasSignalStack = false; // or may have one: __ada_before_signal_stack was called
  uint64_t resumeAt = 0;       // the position before __ada_before_clone, 0 if that was not the last to be called
  ada::ring::LostCalls lostCalls = {}; // while records were being lost
};

extern __thread AdaThread ada_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Records `what` (entry | kind) when the fast path can't: `place`, which it has reserved, is at or past the end of a
// chunk, or the call is outside of the window. `nest`: of a call that register, else 0.
__attribute__((visibility("hidden"))) void ada_record_slow(uint64_t what, const char *nest, uint64_t place);
}

#endif
