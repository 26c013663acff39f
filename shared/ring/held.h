// How long the recorder held a thread up, according to the chunks.
//
// A thread that takes the slow path reads the clock, and reads it again when it has a chunk.
// Both times are in the chunk's header before the chunk becomes visible as the thread's newest (ada_chunk.held_from).
// So the usual path pays nothing, and a kill loses nothing. The reader of the chunk (the drain or recovery) writes the
// time to the thread's lane. If there is no chunk for it (a signal handler got the chunk instead), the thread adds the
// time to ada_ring_thread.held_unplaced.
//
// Events that are lost (overflow=drop) cost time as well. Each is too short for a record of its own, and there may be
// many. The next chunk has their sum, which is put right after the last event before it: the thread began to lose
// events there.
//
// In a lane, no such time overlaps an event of the thread. If events get their times from a word that is advanced now
// and then (clock=tick), the first events after a held time may seem older than its end: the part that would overlap
// them is counted as missing.
#pragma once

#include "../encode/sched_format.h"
#include "clock_map.h"
#include "shared/wide.h"

namespace ada::ring {

struct Held {
  uint64_t fromNs, toNs;         // in the lane; equal if none of it can be there
  uint64_t touchNs;              // from then on it was the first touch of memory
  uint32_t reason;               // ADA_HELD_*, before that
  uint64_t missingNs;            // how much longer all this was
  uint64_t lostFromNs, lostToNs; // before it: the cost of lost events

  uint64_t placedNs() const { return toNs - fromNs + (lostToNs - lostFromNs); }
};

// A length on the clock of ada_chunk.held_from.
inline uint64_t heldNs(uint64_t length, ClockMap &clock) {
  const uint64_t second = clock.countsIn(1000000000);
  return second ? static_cast<uint64_t>(Wide{length} * 1000000000 / second) : length;
}

// The held time of a chunk that its thread has not used again. `afterNs`: the last event of the thread, or of its lane,
// before it. `isLastEvent`: it is surely the last event. `times`: the ring's ADA_TIMES_…, see above. All 0 if the
// thread was not held up.
inline Held heldFor(const ada_chunk &chunk, ClockMap &clock, uint64_t afterNs, bool isLastEvent, uint32_t times) {
  Held held = {};
  if (chunk.held_to <= chunk.held_from) // not measured, or the counter went back
    return held;
  const uint64_t beganNs = clock.toNanoseconds(chunk.held_from), endedNs = clock.toNanoseconds(chunk.held_to);
  const uint64_t seenNs = times == ADA_TIMES_TICK ? clock.toNanoseconds(chunk.start_stamp) : endedNs;
  held.reason = chunk.held_reason;
  held.fromNs = beganNs > afterNs ? beganNs : afterNs;
  held.toNs = seenNs < endedNs ? seenNs : endedNs;
  if (held.toNs < held.fromNs)
    held.toNs = held.fromNs;
  const uint64_t all = endedNs > beganNs ? endedNs - beganNs : 0;
  held.missingNs = all > held.placedNs() ? all - held.placedNs() : 0;
  const uint64_t touchNs = chunk.held_touch ? clock.toNanoseconds(chunk.held_to - chunk.held_touch) : held.toNs;
  held.touchNs = touchNs < held.fromNs ? held.fromNs : touchNs > held.toNs ? held.toNs : touchNs;
  if (chunk.held_lost) {
    const uint64_t lostNs = heldNs(chunk.held_lost, clock),
                   room = held.fromNs - (afterNs < held.fromNs ? afterNs : held.fromNs);
    const uint64_t placed = lostNs < room ? lostNs : room;
    held.lostFromNs = isLastEvent ? held.fromNs - room : held.fromNs - placed;
    held.lostToNs = held.lostFromNs + placed;
    held.missingNs += lostNs - placed;
  }
  return held;
}

// Its records in a lane: one pair per reason. Returns how many.
constexpr unsigned kMaxHeldRecords = 6;
inline unsigned recordsOf(const Held &held, sched::Record *to) {
  unsigned count = 0;
  auto add = [&](uint64_t fromNs, uint64_t toNs, uint32_t reason) {
    if (fromNs >= toNs)
      return;
    to[count++] = {fromNs, sched::Kind::Held, reason};
    to[count++] = {toNs, sched::Kind::Resumed, reason};
  };
  add(held.lostFromNs, held.lostToNs, ADA_HELD_LOST);
  add(held.fromNs, held.touchNs, held.reason);
  add(held.touchNs, held.toNs, ADA_HELD_TOUCH);
  return count;
}

// The cost of lost events that no chunk has reported yet. `chunks`: those below this number have been read.
inline uint64_t unreportedLost(const ada_ring_thread &thread, uint64_t chunks) {
  return __atomic_load_n(&thread.held_lost_seq, __ATOMIC_RELAXED) > chunks
             ? __atomic_load_n(&thread.held_lost, __ATOMIC_RELAXED)
             : 0;
}

} // namespace ada::ring
