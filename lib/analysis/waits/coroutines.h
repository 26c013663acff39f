// The coroutines of a trace: where each was created, which one awaited it, and where its time went.
//
// A coroutine is a frame in memory. The detail of its functions (option `coroutines`) shows:
//   f            the call that creates it: the frame's address is recorded as a result in memory. If f itself has such
//                a result, that one is recorded; it usually contains the frame's address, or that of the promise, 16
//                bytes after it
//   f.resume     each time it continues: the argument is the frame, the result is the frame of the coroutine that runs
//                in its place from then on (a symmetric transfer), or null if there is none
//   f.destroy    its end: the argument is the frame
// GCC makes f.actor instead of f.resume. It is also called by f, as its first part, and by f.destroy, and has a second
// argument: 0 in the first part, an odd number if it ends the coroutine.
//
// So is a future of Rust's async functions and blocks. Its frame may contain the frames of others, which may begin at
// the same address but have other types; and it may move before it first runs. Recorded of it:
//   f::{closure#0}    each time it is polled: arguments are the future and its state, the result is the new state
//   drop_in_place<F>  the same arguments; it drops what is left of the future
#pragma once

#include "analysis/events/trace_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::analysis {

inline constexpr uint32_t kNoCoroutine = 0xffffffffu;

/// Why a coroutine is the parent of another in the logical tree.
enum class CoroutineLink : uint8_t {
  None,    ///< no coroutine was involved
  Created, ///< it was created while the parent ran
  Resumed, ///< the parent was the first to resume it
  Awaited, ///< control passed between the parent and it, in either direction, with no resumer in between
};
const char *coroutineLinkName(CoroutineLink link);

struct Coroutine {
  uint32_t process = 0;
  uint32_t function = kNoCoroutine; ///< the function that created it or, if that was not seen, a part of it
  uint64_t frame = 0;               ///< 0: it was never suspended, or the creating call's result does not hold it
  bool isBeginKnown = false;        ///< else `beginNs` is when it was first seen
  bool isEnded = false;             ///< it was destroyed, or its frame was used again
  bool isLeftByException = false;   ///< an exception passed from it to its resumer
  bool isFuture = false;            ///< it is a future of Rust: the following is known of it
  bool isCancelled = false;         ///< it was dropped before it had finished
  std::string state = {};           ///< the last that was seen: "Suspend0 (line 12)", "Returned"
  uint64_t beginNs = 0, endNs = 0;  ///< not ended: the end of the trace
  uint64_t resumptions = 0;
  uint64_t runningNs = 0;                   ///< while no other coroutine ran inside it
  uint64_t suspendedNs = 0;                 ///< the time of its life during which it was in no call
  uint32_t firstThread = 0;                 ///< the thread that created or first resumed it
  bool isOnSeveralThreads = false;          ///< it also ran on other threads
  uint32_t createdIn = kNoCoroutine;        ///< the non-coroutine function around the call that created it
  uint32_t creator = kNoCoroutine;          ///< the coroutine that was running then
  uint32_t parent = kNoCoroutine;           ///< in the logical tree
  CoroutineLink link = CoroutineLink::None; ///< why `parent` is the parent
};

struct Coroutines {
  std::vector<Coroutine> all; ///< ordered by when they were first seen
  bool hasFunctions = false;  ///< the trace has functions of coroutines
  bool hasFrames = false;     ///< the detail of some calls identifies the coroutine
};

/// Whether FUNCTION polls or drops futures of Rust.
bool isFuturePart(const model::Function &function);

/// Reads all threads once, merged by time. Memory: about 200 bytes per coroutine.
Expected<Coroutines> readCoroutines(model::TraceSource &source, TraceTable &table);

} // namespace ada::analysis
