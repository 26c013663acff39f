// Reads and expands the records of a chunk in one pass, as long as all of them are ordinary.
//
// Nearly all records are calls, and returns of the innermost call, complete, in the order of their stamps. They need
// none of the rules of chunk_walk.h, no batch, and no decision about time or module that was not already made for the
// record before. Any other record ends the pass and is left untouched: takeRecords() and expand() continue with it.
// They would give the same events for all records.
#pragma once

#include "chunk_walk.h"

namespace ada::ring {

namespace detail {

// Applies to many consecutive records: how to read their stamps and functions.
struct PlainSpan {
  uint64_t firstStamp = 1, stamps = 0; // the number of stamps, from the first on
  ClockMap::Segment segment;           // the stamps are in it, and not before its base
  uint64_t firstUnit = 0;              // of the module's entries, in units of 16 bytes
  uint64_t entries = 0, moduleBits = 0;
  uint64_t own = 0; // 1 if no two of its open calls can have one frame, or if that is to be looked for

  bool covers(uint64_t stamp, uint64_t ordinal) const { return stamp - firstStamp < stamps && ordinal < entries; }
  // The ordinal of an entry of the module; for anything else, a number that is not less than `entries`.
  uint64_t ordinal(uint64_t what) const {
    static_assert(sizeof(ada_function) == 3 * (ADA_RECORD_KIND_MASK + 1));
    constexpr uint64_t kThird = 0xAAAAAAAAAAAAAAAB; // times 3 is 1, modulo 2^64
    return ((what & kPayloadMask) / (ADA_RECORD_KIND_MASK + 1) - firstUnit) * kThird;
  }

  // The span for such a record; empty if it is not plain.
  __attribute__((noinline)) static PlainSpan of(uint64_t what, uint64_t stamp, uint64_t limitStamp, ClockMap &clock,
                                                ModuleMap &modules) {
    PlainSpan span;
    if (stamp - 1 >= limitStamp) // 0: not complete
      return span;
    const ModuleMap::Answer *answer = modules.answerFor(what & kPayloadMask, stamp);
    clock.toNanoseconds(stamp);
    span.segment = clock.segment();
    if (!answer || !span.segment.isAfterBase(stamp))
      return span;
    auto least = [](uint64_t a, uint64_t b) { return a < b ? a : b; };
    auto most = [](uint64_t a, uint64_t b) { return a < b ? b : a; };
    // An answer that holds for a single entry ends before it begins.
    const uint64_t from = most(most(1, span.segment.base.counter), most(span.segment.from, answer->from));
    const uint64_t end = least(span.segment.to, answer->to);
    span.firstStamp = from, span.stamps = end <= from ? 0 : limitStamp < end ? limitStamp - from + 1 : end - from;
    span.firstUnit = answer->begin / (ADA_RECORD_KIND_MASK + 1);
    span.entries = (answer->end - answer->begin) / sizeof(ada_function), span.moduleBits = answer->moduleBits;
    span.own = !answer->mayShare || answer->isUnexamined;
    return span;
  }
};

} // namespace detail

// Moves `w.place` past the records that it takes, and returns how many these are. `emit` as for expand().
// The last record of a chunk is not plain, because the next record lies in another chunk.
//
// In a closed chunk, records are prefetched 1 KiB ahead, because they come from another processor's cache.
// In an open chunk that would take cache lines from the thread that writes to them.
template <class Emit>
inline uint64_t takePlain(ThreadWalk &w, const WalkRules &rules, ThreadExpansion &t, ClockMap &clock,
                          ModuleMap &modules, Emit &&emit) {
  if (w.runCount > 0 || t.gaps.isOpen || w.place + 1 >= ADA_CHUNK_RECORDS)
    return 0;
  Frame *const frames = t.stack.frames;
  const size_t capacity = t.stack.capacity;
  detail::PlainSpan span, other; // copies: the loop keeps the first one in registers
  uint64_t lastNs = t.lastNs;
  size_t depth = t.stack.depth, floor = t.floor;
  const uint64_t base = t.stackBase; // a STACK record is not plain
  const ada_record *const records = recordsOf(*w.chunk), *const end = records + ADA_CHUNK_RECORDS - 1;
  const ada_record *r = records + w.place;
  uint64_t stamp = __atomic_load_n(&r->stamp, __ATOMIC_ACQUIRE);
  const size_t ahead = rules.closed ? 64 : 0;
  for (; r < end; ++r) {
    __builtin_prefetch(r + ahead); // no access: there may be no memory at it
    // The next stamp: a handler's records, which are older than the one that it interrupted, are not plain.
    const uint64_t next = __atomic_load_n(&r[1].stamp, __ATOMIC_ACQUIRE);
    const uint64_t what = __atomic_load_n(&r->what, __ATOMIC_RELAXED);
    if (__builtin_expect(next < stamp && next != 0, 0)) // 0: not complete
      break;
    uint64_t ordinal = span.ordinal(what);
    if (__builtin_expect(!span.covers(stamp, ordinal), 0)) {
      const detail::PlainSpan last = span;
      span = other, other = last; // calls alternate between two libraries
      ordinal = span.ordinal(what);
      if (!span.covers(stamp, ordinal)) {
        span = detail::PlainSpan::of(what, stamp, rules.limitStamp, clock, modules);
        ordinal = span.ordinal(what);
        if (!span.covers(stamp, ordinal))
          break;
      }
    }
    uint64_t ns = span.segment.after(stamp);
    ns = ns < lastNs ? lastNs : ns;
    const uint64_t function = span.moduleBits + ordinal, kind = what & ADA_RECORD_KIND_MASK;
    if (kind == ADA_RECORD_CALL) {
      if (__builtin_expect(depth == capacity, 0))
        break;
      const uint64_t outer = depth > 0 ? frames[depth - 1].position : kNoPosition, n = what >> kPositionShift;
      uint64_t position = outer;
      if (n != 0 && base != 0) {
        position = base + n * 16;
        if (__builtin_expect(outer < position + span.own, 0)) // calls were left by a jump
          break;
      }
      frames[depth] = {function, 0, ns, position};
      emit(Event{ns, function, ns, static_cast<uint32_t>(depth++), kCall, true});
    } else if (kind == ADA_RECORD_RETURN && depth > 0 && frames[depth - 1].functionId == function) {
      --depth;
      floor = depth < floor ? depth : floor;
      emit(Event{ns, function, frames[depth].beginNs, static_cast<uint32_t>(depth), kReturn, true});
    } else
      break;
    lastNs = ns;
    stamp = next;
  }
  const uint64_t count = static_cast<uint64_t>(r - records) - w.place;
  w.place += count;
  t.lastNs = lastNs, t.stack.depth = depth, t.floor = floor;
  if (count > 0)
    t.gaps.lastEventNs = lastNs;
  return count;
}

} // namespace ada::ring
