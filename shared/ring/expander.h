// Turns the records of one thread into well-nested events.
//
// The rules, one for each way in which a program leaves a function without its exit hook:
//   exit matches the innermost open call   the normal case
//   exit matches an outer open call        the calls above it are over, but no hook saw how they were left (unwinding
//                                          through code that runs no cleanups, a switch of stacks): they get INFERRED
//                                          events at that time
//   exit matches no open call              the call began before recording did, in another process (fork) or while
//                                          records were lost: no event, but it is counted
//   RESYNC                                 a setjmp returned: the calls above the marked one were left by longjmp and
//                                          get EXCEPTION events
//   JUMP, or RESYNC without its mark       the same in a function whose call is not part of the trace: the open calls
//                                          with frames below its own
//   CALL whose frame is not below those of open calls on the same stack
//                                          they are over, but no hook saw how they were left (a jump whose setjmp is
//                                          not traced, a switch of stacks): they get INFERRED events at that time
//   STACK                                  where on the stack the following calls are
//   GAP                                    records were lost here: calls that were left meanwhile get MISSING events,
//                                          calls that were entered meanwhile become placeholders, whose exits make no
//                                          event
//   LOST                                   how many records were lost up to here; gaps.h keeps the places
// So a file's events always nest, and the only calls without an end are those that were open at the end.
#pragma once

#include "call_stack.h"
#include "clock_map.h"
#include "gaps.h"
#include "module_map.h"
#include "shared/assert.h"

namespace ada::ring {

inline constexpr uint16_t kCall = 1, kReturn = 2, kException = 3, kMissing = 0xAD02, kInferred = 0xAD03; // EventKind

inline constexpr uint64_t kMaxLostCalls = 1u << 22; // placeholders of one gap

struct Event {
  uint64_t timestampNs;
  uint64_t functionId;
  uint64_t beginNs; // of the call that it begins or ends
  uint32_t depth;   // calls open below this one
  uint16_t kind;
  bool ofRecord; // the record's own event, not one that closes another call before it
};

// State of one thread between batches. Plain data: zero-initialised is the start.
struct ThreadExpansion {
  CallStack stack;
  uint64_t floor = 0;          // fewest calls that were open since the owner set it; what jumps prove lowers it more
  uint64_t lastNs = 0;         // no event is older than the one before it
  uint64_t strayExits = 0;     // exits without an open call
  uint64_t madeExits = 0;      // exit events of calls whose exits were lost
  uint64_t silentExits = 0;    // exits without an event, because their calls were lost
  uint64_t unknownEntries = 0; // records whose function is in no module
  uint64_t stackBase = 0;      // of the last STACK record
  bool hasNotes = false;       // there may be marks, placeholders or calls that wait on the stack
  // See left_out.h:
  uint64_t leastNs = 0;   // shorter calls stay out of the file
  uint64_t mostDepth = 0; // and so do calls inside of that many others; 0: none
  uint64_t inFile = 0;    // with one of these: how many of the open calls are in the file
  uint64_t leftOut = 0;   // events that are not in the file
  GapLog gaps;
};

// A handler that interrupts a record between reservation and stamp writes its records after that record,
// but they are older. This gives each record of a run the smallest stamp at or after it; `limit` is the stamp of the
// record that follows the run (UINT64_MAX if none). Only called when an inversion was seen.
inline void lowerStamps(ada_record *records, size_t count, uint64_t limit) {
  for (size_t i = count; i-- > 0;) {
    if (records[i].stamp > limit)
      records[i].stamp = limit;
    limit = records[i].stamp;
  }
}

// Only these two kinds have details; in any other kind the bit belongs to the kind, which a newer runtime made.
inline bool hasDetail(uint64_t what) {
  const uint32_t kind = static_cast<uint32_t>(what & ADA_RECORD_KIND_MASK);
  return kind == (ADA_RECORD_CALL | ADA_RECORD_DETAIL) || kind == (ADA_RECORD_RETURN | ADA_RECORD_DETAIL);
}

// A record with detail carries its length in the top byte of `what`, so that it is known as soon as `what` is.
inline constexpr unsigned kUnitsShift = 56;
inline constexpr unsigned kPositionShift = 48;
inline constexpr uint64_t kPayloadMask = ((1ull << kPositionShift) - 1) & ~uint64_t{ADA_RECORD_KIND_MASK};
inline constexpr uint64_t kStackWindow = 1ull << 20; // the range that a STACK record's address is valid for

// How many units follow the record's own.
inline uint64_t unitsOf(uint64_t what) { return __builtin_expect(hasDetail(what), 0) ? what >> kUnitsShift : 0; }

// The kind of a record, with or without detail.
inline uint32_t kindOf(uint64_t what) {
  const uint32_t kind = static_cast<uint32_t>(what & ADA_RECORD_KIND_MASK);
  return hasDetail(what) ? kind & ~uint32_t{ADA_RECORD_DETAIL} : kind;
}

// Whether the top 16 bits of `what` may say where on the stack that is. For a call with detail, the detail says it.
inline bool hasPosition(uint64_t what) {
  const uint64_t kind = what & ADA_RECORD_KIND_MASK;
  return kind == ADA_RECORD_CALL || kind == ADA_RECORD_RESYNC || kind == ADA_RECORD_JUMP;
}

inline bool isKnownKind(uint16_t kind) {
  return kind == kCall || kind == kReturn || kind == kException || kind == kMissing || kind == kInferred;
}

// Every event but those of plain records goes this way.
template <class Emit>
__attribute__((always_inline)) inline void give(const ThreadExpansion &t, const Event &e, Emit &emit) {
  ADA_ASSERT(isKnownKind(e.kind) && e.depth == t.stack.depth);
  emit(e);
}

// The end of a lost call, which makes no event: its placeholder is off the stack.
inline void loseEnd(ThreadExpansion &t) {
  const CallStack &stack = t.stack;
  if (t.mostDepth > 0 && stack.depth >= t.mostDepth) {
    ++t.leftOut;
    return;
  }
  ++t.silentExits;
  t.gaps.loseAt(stack.frames[stack.depth].beginNs, 1);
}

// Closes the open calls except for the `keep` outermost ones. Placeholders close silently;
// for those whose exits are missing, the thread itself has counted the exit.
template <class Emit> inline void closeDownTo(ThreadExpansion &t, size_t keep, uint16_t how, uint64_t ns, Emit &emit) {
  CallStack &stack = t.stack;
  while (stack.depth > keep) {
    const Frame &f = stack.frames[--stack.depth];
    if (f.function != kLost) {
      t.gaps.end(ns);
      give(t, Event{ns, f.function.functionId(), f.beginNs, static_cast<uint32_t>(stack.depth), how, false}, emit);
      t.madeExits += how == kMissing;
    } else if (how != kMissing) {
      loseEnd(t);
    }
  }
  if (stack.depth < t.floor)
    t.floor = stack.depth;
}

// Closes the open calls whose frames are below `position`.
template <class Emit>
inline void closeBelow(ThreadExpansion &t, uint64_t position, uint16_t how, uint64_t ns, Emit &emit) {
  size_t keep = t.stack.depth;
  while (keep > 0 && t.stack.frames[keep - 1].position < position)
    --keep;
  closeDownTo(t, keep, how, ns, emit);
}

// Where the call or frame of a record is on the stack; kNoPosition if that is not known. `sp`: from its detail, or 0.
inline uint64_t positionOf(const ThreadExpansion &t, uint64_t what, uint64_t sp) {
  const uint64_t n =
      hasDetail(what) ? (sp - t.stackBase < kStackWindow ? (sp - t.stackBase) / 16 : 0) : what >> kPositionShift;
  return t.stackBase != 0 && n != 0 ? t.stackBase + n * 16 : kNoPosition;
}

// An exit hook of `function` ran.
template <class Emit>
inline void expandExit(ThreadExpansion &t, uint64_t functionId, uint16_t how, uint64_t ns, Emit &emit) {
  CallStack &stack = t.stack;
  const Product function = Product::of(functionId);
  size_t i = stack.depth;
  if (i == 0 || stack.frames[i - 1].function != function) {
    if (i > 0 && stack.frames[i - 1].function == kLost) {
      --stack.depth; // its call was lost; so is its exit
      if (stack.depth < t.floor)
        t.floor = stack.depth;
      loseEnd(t);
      return;
    }
    while (i > 0 && stack.frames[i - 1].function != function)
      --i;
    if (i == 0) {
      ++t.strayExits;
      return;
    }
    closeDownTo(t, i, kInferred, ns, emit);
  }
  --stack.depth;
  if (stack.depth < t.floor)
    t.floor = stack.depth;
  t.gaps.end(ns);
  give(t, Event{ns, functionId, stack.frames[stack.depth].beginNs, static_cast<uint32_t>(stack.depth), how, true},
       emit);
}

// Records were lost here.
template <class Emit>
inline void expandGap(ThreadExpansion &t, uint64_t what, uint64_t ns, CallStack::Grow grow, Emit &emit) {
  const uint64_t closed = what >> 34, said = (what >> 4) & ((1u << 30) - 1);
  const uint64_t opened = said < kMaxLostCalls ? said : kMaxLostCalls; // more: a damaged ring file, not a program
  const uint64_t madeBefore = t.madeExits;
  t.gaps.lose(0); // calls that were not counted for this thread may have begun in it
  closeDownTo(t, closed < t.stack.depth ? t.stack.depth - closed : 0, kMissing, ns, emit);
  t.gaps.restore(t.madeExits - madeBefore);
  t.hasNotes |= opened > 0;
  for (uint64_t i = 0; i < opened; ++i)
    if (!t.stack.push(kLostFunction, ns, grow))
      break;
}

// Feeds one record, with its detail if it has one; `emit(const Event &)` is called for each event it makes, in order.
template <class Emit>
inline void expand(ThreadExpansion &t, const ada_record &r, ClockMap &clock, ModuleMap &modules, CallStack::Grow grow,
                   Emit &&emit, const ada_detail *detail = nullptr) {
  uint64_t ns = clock.toNanoseconds(r.stamp);
  if (ns < t.lastNs)
    ns = t.lastNs;
  t.lastNs = ns;
  CallStack &stack = t.stack;
  ADA_ASSERT(t.floor <= stack.depth && stack.depth <= stack.capacity);
  const uint32_t kind = kindOf(r.what);
  const uint64_t payload = r.what & kPayloadMask;

  switch (kind) {
  case ADA_RECORD_CALL:
  case ADA_RECORD_RETURN:
  case ADA_RECORD_EXCEPTION: {
    const ModuleMap::Answer *answer = modules.answerFor(payload, r.stamp);
    const uint64_t function = answer ? answer->functionId(payload) : kNoFunction;
    if (function == kNoFunction) {
      ++t.unknownEntries;
      t.gaps.lose(1);
    } else if (kind == ADA_RECORD_CALL) {
      uint64_t position = positionOf(t, r.what, detail ? detail->sp : 0);
      if (position == kNoPosition)
        position = stack.position();
      else {
        closeBelow(t, position, kInferred, ns, emit);
        if (stack.depth > 0 && stack.position() == position && !modules.mayShare(payload, r.stamp))
          closeBelow(t, position + 1, kInferred, ns, emit);
      }
      t.gaps.end(ns);
      give(t, Event{ns, function, ns, static_cast<uint32_t>(stack.depth), kCall, true}, emit);
      stack.push(function, ns, position, grow);
    } else {
      expandExit(t, function, static_cast<uint16_t>(kind), ns, emit);
    }
    return;
  }
  case ADA_RECORD_STACK:
    t.stackBase = payload;
    return;
  case ADA_RECORD_MARK:
    if (stack.depth > 0)
      stack.frames[stack.depth - 1].mark = payload;
    t.hasNotes = true;
    return;
  case ADA_RECORD_RESYNC:
    for (size_t i = stack.depth; i > 0; --i)
      if (stack.frames[i - 1].mark == payload) {
        closeDownTo(t, i, kException, ns, emit);
        if (i - 1 < t.floor) // everything above the marked frame is over, even if it is only one of its own hooks
          t.floor = i - 1;
        return;
      }
    [[fallthrough]]; // its call began before recording did, or in another process (fork)
  case ADA_RECORD_JUMP:
    if (const uint64_t position = positionOf(t, r.what, 0); position != kNoPosition)
      closeBelow(t, position, kException, ns, emit);
    return;
  case ADA_RECORD_LOST: {
    const uint64_t total = r.what >> 4;
    if (total > t.gaps.threadLost) {
      t.gaps.lose(total - t.gaps.threadLost);
      t.gaps.threadLost = total;
    }
    return;
  }
  case ADA_RECORD_GAP:
    expandGap(t, r.what, ns, grow, emit);
    return;
  default:
    return; // a kind that a newer runtime made
  }
}

// The detail that follows a complete record of at least 1 + ADA_MOST_DETAIL_UNITS units of readable memory, or null if
// it has none. Its length is checked.
inline const ada_detail *detailOf(const ada_record *r) {
  if (!hasDetail(r->what))
    return nullptr;
  const ada_detail *d = reinterpret_cast<const ada_detail *>(r + 1);
  if (d->vectors > 8 || d->stack_bytes > ADA_MOST_STACK_BYTES || d->contents_bytes > ADA_MOST_CONTENTS_BYTES ||
      d->contents > ADA_MOST_CONTENTS ||
      unitsOf(r->what) < 7u + d->vectors + (d->stack_bytes + 15u) / 16 + (d->contents_bytes + 15u) / 16)
    return nullptr;
  return d;
}

// Where its ada_contents begin: d->contents of them, d->contents_bytes in total.
inline const unsigned char *contentsOf(const ada_detail &d) {
  return reinterpret_cast<const unsigned char *>(&d + 1) + 16u * d.vectors + (d.stack_bytes + 15u) / 16 * 16;
}

} // namespace ada::ring
