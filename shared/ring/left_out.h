// min_duration and max_depth: which calls of a thread stay out of its files.
//
// A call that began a moment ago may turn out to be too short. Until that is known, its event waits, which costs no
// memory: the stack of open calls holds everything about it. ThreadExpansion::inFile says how many of the open calls,
// from the outermost on, are in the file; the journal's notes hold the others (notes.h), so that a kill loses none.
// A call is never shorter than those inside it, so the events in the file nest and stay in the order of time.
//
// Kept whatever their duration: calls that don't return, as far as is known, calls with detail or of a function with a
// trigger, all calls around these, and calls that are open when the thread, the process or a flush ends the recording.
// Calls below max_depth are never kept. A short call may also be kept if its thread was interrupted in the hook of its
// return, after the clock was read: to every observer, it was still open.
#pragma once

#include "expander.h"

namespace ada::ring {

// That many calls may wait at once; then the outermost ones are written without waiting. Their notes have to fit.
inline constexpr uint64_t kMaxWaiting = 512;

inline bool leavesOut(const ThreadExpansion &t) { return t.leastNs > 0 || t.mostDepth > 0; }

// How many of the open calls may be in the file at most.
inline uint64_t deepestInFile(const ThreadExpansion &t) {
  return t.mostDepth > 0 && t.mostDepth < t.stack.depth ? t.mostDepth : t.stack.depth;
}

// Emits those of the waiting calls among the `end` outermost open ones that began at `bornNs` or before.
template <class Emit> inline void emitWaiting(ThreadExpansion &t, uint64_t end, uint64_t bornNs, Emit &&emit) {
  if (t.mostDepth > 0 && end > t.mostDepth)
    end = t.mostDepth;
  for (; t.inFile < end; ++t.inFile) {
    const Frame &f = t.stack.frames[t.inFile];
    if (f.function == kLost)
      continue;
    if (f.beginNs > bornNs)
      return;
    emit(Event{f.beginNs, f.function.functionId(), f.beginNs, static_cast<uint32_t>(t.inFile), kCall, false});
  }
}

// The same for all open calls, at a given time: emits those that can't be too short any more, and enough others that at
// most kMaxWaiting are left.
template <class Emit> inline void emitOldWaiting(ThreadExpansion &t, uint64_t nowNs, Emit &&emit) {
  const uint64_t deepest = deepestInFile(t);
  if (deepest > t.inFile + kMaxWaiting)
    emitWaiting(t, deepest - kMaxWaiting, UINT64_MAX, emit);
  if (nowNs >= t.leastNs)
    emitWaiting(t, deepest, nowNs - t.leastNs, emit);
}

// Takes an event as expand() and takePlain() emit it: the stack below its depth is unchanged.
// Calls emit() for the events that belong in the file, in order.
// `keep`: the call must be in the file, however short it is.
template <class Emit> inline void leaveOut(ThreadExpansion &t, const Event &e, bool keep, Emit &&emit) {
  const bool isCall = e.kind == kCall;
  if (const uint64_t open = e.depth + (isCall ? 0u : 1u); t.inFile > open) // placeholders close without an event
    t.inFile = open;
  if (e.timestampNs >= t.leastNs)
    emitWaiting(t, e.depth, e.timestampNs - t.leastNs, emit);
  if (t.mostDepth > 0 && e.depth >= t.mostDepth) {
    t.hasNotes |= isCall;
    ++t.leftOut;
  } else if (isCall) {
    if (keep || t.leastNs == 0) {
      emitWaiting(t, e.depth, UINT64_MAX, emit);
      emit(e);
      t.inFile = e.depth + 1;
    } else
      t.hasNotes = true;
  } else if (e.depth < t.inFile) {
    emit(e);
    t.inFile = e.depth;
  } else if (keep || (e.kind != kReturn && e.kind != kMissing) || e.timestampNs - e.beginNs >= t.leastNs) {
    emitWaiting(t, e.depth, UINT64_MAX, emit);
    emit(Event{e.beginNs, e.functionId, e.beginNs, e.depth, kCall, false});
    emit(e);
    t.inFile = e.depth;
  } else
    t.leftOut += 2;
}

} // namespace ada::ring
