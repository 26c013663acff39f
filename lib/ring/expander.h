// expander.h - turns the records of one thread into well-nested events.
//
// The rules, each for a way in which a program leaves a function without its exit hook:
//   exit matches the innermost open call     the normal case
//   exit matches an outer open call          the calls above it were left without a hook (a frame that was unwound by code
//                                            that does not run cleanups): they get EXCEPTION events at that time
//   exit matches no open call                the call began before recording did, in another process (fork) or while
//                                            records were lost: no event, counted
//   RESYNC                                   a setjmp returned: the calls above the marked one were left by longjmp and
//                                            get EXCEPTION events
//   GAP                                      records were lost here: calls that were left meanwhile get RETURN events, calls
//                                            that were entered meanwhile are placeholders whose exits make no event
// So a file's events always nest, and the only calls without an end are those that were open at the end.
#ifndef ADA_LIB_RING_EXPANDER_H
#define ADA_LIB_RING_EXPANDER_H

#include "call_stack.h"
#include "clock_map.h"
#include "module_map.h"

namespace ada::ring {

inline constexpr uint8_t kCall = 1, kReturn = 2, kException = 3; // ATF event kinds
inline constexpr uint64_t kLostFunction = UINT64_MAX - 1;        // a call that was entered in a gap

inline constexpr uint64_t kMostLostCalls = 1u << 22;             // placeholders of one gap

struct Event {
  uint64_t timestampNs;
  uint64_t functionId;
  uint64_t beginNs; // of the call that it begins or ends
  uint32_t depth;   // calls open below this one
  uint8_t kind;
  bool ofRecord; // the event that the record itself tells of, not one that closes a call on the way
};

// State of one thread between batches. Plain data: zero-initialised is the start.
struct ThreadExpansion {
  CallStack stack;
  uint64_t lastNs = 0;       // no event is older than the one before it
  uint64_t strayExits = 0;   // exits without an open call
  uint64_t madeExits = 0;    // return events of calls whose exits were lost
  uint64_t silentExits = 0;  // exits without an event, for their calls were lost
  uint64_t unknownEntries = 0; // records whose function is in no module
};

// A handler's records lie behind the record that it interrupted between reservation and stamp, but are older. Gives each record of a
// run the smallest stamp that is found at or behind it; `limit` is the stamp of the record that follows the run (UINT64_MAX if
// none). Only called when an inversion was seen.
inline void lowerStamps(ada_record *records, size_t count, uint64_t limit) {
  for (size_t i = count; i-- > 0;) {
    if (records[i].stamp > limit)
      records[i].stamp = limit;
    limit = records[i].stamp;
  }
}

// Only these two kinds have details; the bit in any other is part of a kind that a newer runtime made.
inline bool hasDetail(const ada_record &r) {
  const uint32_t kind = (uint32_t)(r.what & ADA_RECORD_KIND_MASK);
  return kind == (ADA_RECORD_CALL | ADA_RECORD_DETAIL) || kind == (ADA_RECORD_RETURN | ADA_RECORD_DETAIL);
}

// Feeds one record; `emit(const Event &)` is called for each event it makes, in order.
template <class Emit>
inline void expand(ThreadExpansion &t, const ada_record &r, ClockMap &clock, ModuleMap &modules,
                   CallStack::Grow grow, Emit &&emit) {
  uint64_t ns = clock.toNanoseconds(r.stamp);
  if (ns < t.lastNs)
    ns = t.lastNs;
  t.lastNs = ns;
  CallStack &stack = t.stack;
  uint32_t kind = (uint32_t)(r.what & ADA_RECORD_KIND_MASK);
  if (hasDetail(r))
    kind &= ~(uint32_t)ADA_RECORD_DETAIL;
  uint64_t payload = r.what & ~(uint64_t)ADA_RECORD_KIND_MASK;

  // Closes the open calls above the `keep` innermost-but-outer ones. Placeholders close silently.
  auto closeDownTo = [&](size_t keep, uint8_t how) {
    while (stack.depth > keep) {
      const Frame &f = stack.frames[--stack.depth];
      if (f.functionId != kLostFunction) {
        emit(Event{ns, f.functionId, f.beginNs, (uint32_t)stack.depth, how, false});
        t.madeExits += how == kReturn;
      }
    }
  };

  switch (kind) {
  case ADA_RECORD_CALL: {
    uint64_t f = modules.functionId(payload, r.stamp);
    if (f == kNoFunction) {
      ++t.unknownEntries;
      return;
    }
    emit(Event{ns, f, ns, (uint32_t)stack.depth, kCall, true});
    stack.push(f, ns, grow);
    return;
  }
  case ADA_RECORD_RETURN:
  case ADA_RECORD_EXCEPTION: {
    uint64_t f = modules.functionId(payload, r.stamp);
    if (f == kNoFunction) {
      ++t.unknownEntries;
      return;
    }
    size_t i = stack.depth;
    if (i == 0 || stack.frames[i - 1].functionId != f) {
      if (i > 0 && stack.frames[i - 1].functionId == kLostFunction) {
        --stack.depth; // its call was lost; so is its exit
        ++t.silentExits;
        return;
      }
      while (i > 0 && stack.frames[i - 1].functionId != f)
        --i;
      if (i == 0) {
        ++t.strayExits;
        return;
      }
      closeDownTo(i, kException);
    }
    --stack.depth;
    emit(Event{ns, f, stack.frames[stack.depth].beginNs, (uint32_t)stack.depth, (uint8_t)kind, true});
    return;
  }
  case ADA_RECORD_MARK:
    if (stack.depth > 0)
      stack.frames[stack.depth - 1].mark = payload;
    return;
  case ADA_RECORD_RESYNC:
    for (size_t i = stack.depth; i > 0; --i)
      if (stack.frames[i - 1].mark == payload) {
        closeDownTo(i, kException);
        return;
      }
    return;
  case ADA_RECORD_GAP: {
    uint64_t closed = r.what >> 34, opened = (r.what >> 4) & ((1u << 30) - 1);
    if (opened > kMostLostCalls) // a damaged ring file, not a program
      opened = kMostLostCalls;
    closeDownTo(closed < stack.depth ? stack.depth - closed : 0, kReturn);
    for (uint64_t i = 0; i < opened; ++i)
      if (!stack.push(kLostFunction, ns, grow))
        break;
    return;
  }
  default:
    return; // a kind of a newer runtime
  }
}

// The detail that follows a record of at least 1 + ADA_MOST_DETAIL_UNITS units of readable memory, or null if it has none. Its length is checked.
inline const ada_detail *detailOf(const ada_record *r) {
  if (!hasDetail(*r))
    return nullptr;
  const ada_detail *d = (const ada_detail *)(r + 1);
  if (d->vectors > 8 || d->stack_bytes > ADA_MOST_STACK_BYTES ||
      d->units != 7 + d->vectors + (d->stack_bytes + 15) / 16)
    return nullptr;
  return d;
}

} // namespace ada::ring
#endif
