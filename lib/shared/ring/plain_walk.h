// Reads and expands the records of a chunk in one pass, as long as nothing is out of the ordinary.
//
// Nearly all records are calls, and returns of the innermost call, complete, in the order of their stamps. They need
// none of the rules of chunk_walk.h, no batch, and no decision about time or module that was not made for the record
// before. The first record that is anything else ends the pass, untouched: takeRecords() and expand() go on with it,
// and give the same events for all of them.
#ifndef ADA_LIB_SHARED_RING_PLAIN_WALK_H
#define ADA_LIB_SHARED_RING_PLAIN_WALK_H

#include "chunk_walk.h"

namespace ada::ring {

// Moves `w.place` behind the records that it takes, and returns how many these are. `emit` as for expand(). The last
// record of a chunk is not plain, for what follows it lies in another one.
//
// Of a closed chunk, records are fetched ahead of their reading: 1 KiB, for they come from another processor's cache.
// In an open one that would take lines from the thread that writes to them.
template <class Emit>
inline uint64_t takePlain(ThreadWalk &w, const WalkRules &rules, ThreadExpansion &t, ClockMap &clock,
                          ModuleMap &modules, Emit &&emit) {
  if (w.runCount > 0 || t.gaps.isOpen || w.place + 1 >= ADA_CHUNK_RECORDS)
    return 0;
  CallStack &stack = t.stack;
  ClockMap::Segment segment; // copies: the loop keeps them in registers
  ModuleMap::Answer answer;
  uint64_t lastNs = t.lastNs;
  size_t depth = stack.depth, floor = t.floor;
  const ada_record *const records = recordsOf(*w.chunk), *const end = records + ADA_CHUNK_RECORDS - 1;
  const ada_record *r = records + w.place;
  uint64_t stamp = __atomic_load_n(&r->stamp, __ATOMIC_ACQUIRE);
  const uint64_t limitStamp = rules.limitStamp;
  const size_t ahead = rules.closed ? 64 : 0;
  for (; r < end; ++r) {
    __builtin_prefetch(r + ahead); // no access: there may be no memory at it
    // The stamp behind: a handler's records, older than the one that it interrupted, are not plain.
    const uint64_t next = __atomic_load_n(&r[1].stamp, __ATOMIC_ACQUIRE);
    const uint64_t what = __atomic_load_n(&r->what, __ATOMIC_RELAXED);
    const uint64_t entry = what & ~(uint64_t)ADA_RECORD_KIND_MASK, kind = what & ADA_RECORD_KIND_MASK;
    if (__builtin_expect(stamp - 1 >= limitStamp || (next < stamp && next != 0), 0)) // 0: not complete
      break;
    if (__builtin_expect(!answer.covers(entry, stamp), 0)) {
      const ModuleMap::Answer *found = modules.answerFor(entry, stamp);
      if (!found)
        break;
      answer = *found;
    }
    uint64_t ns;
    if (__builtin_expect(segment.isAfterBase(stamp), 1))
      ns = segment.after(stamp);
    else
      ns = clock.toNanoseconds(stamp), segment = clock.segment();
    ns = ns < lastNs ? lastNs : ns;
    const uint64_t function = answer.functionId(entry);
    if (kind == ADA_RECORD_CALL) {
      if (__builtin_expect(depth == stack.capacity, 0))
        break;
      stack.frames[depth] = {function, 0, ns};
      emit(Event{ns, function, ns, (uint32_t)depth++, kCall, true});
    } else if (kind == ADA_RECORD_RETURN && depth > 0 && stack.frames[depth - 1].functionId == function) {
      --depth;
      floor = depth < floor ? depth : floor;
      emit(Event{ns, function, stack.frames[depth].beginNs, (uint32_t)depth, kReturn, true});
    } else
      break;
    lastNs = ns;
    stamp = next;
  }
  const uint64_t count = (uint64_t)(r - records) - w.place;
  w.place += count;
  t.lastNs = lastNs, stack.depth = depth, t.floor = floor;
  if (count > 0)
    t.gaps.lastEventNs = lastNs;
  return count;
}

} // namespace ada::ring
#endif
