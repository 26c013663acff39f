// How many records of a thread are not in its file, and why.
//
// A thread itself counts what it can't record (ada_ring_thread.lost), with one addition.
// Other losses only show when its records are read or written: they belong to a cursor, and so take effect at the same
// moment as the events that they go with. Whenever the process is killed,
// events and losses together are what the program did.
#pragma once

#include "expander.h"

namespace ada::ring {

// Adds the losses that expanding records has shown since `t` was zero.
inline void addLosses(ada_ring_cursor &c, const ThreadExpansion &t) {
  c.gaps += static_cast<int64_t>(t.silentExits - t.madeExits);
  c.lost[ADA_LOST_NO_MODULE] += t.unknownEntries;
}

// What the thread itself could not record.
inline uint64_t lostByThread(const ada_ring_thread &thread) {
  uint64_t sum = 0;
  for (const uint64_t &lost : thread.lost)
    sum += __atomic_load_n(&lost, __ATOMIC_RELAXED);
  return sum;
}

// The sum for the cursor alone. May be negative.
inline int64_t sumOfLosses(const ada_ring_cursor &c) {
  int64_t sum = c.gaps;
  for (uint64_t lost : c.lost)
    sum += static_cast<int64_t>(lost);
  return sum;
}

// All losses of a thread at one of its cursors, by ADA_LOST_*. Returns their sum.
//
// Around a gap there are events without a record, and exits whose calls were dropped, which make no event: `gaps` is
// their difference. The dropped records say why there was a gap.
inline uint64_t lossesAt(const ada_ring_thread &thread, const ada_ring_cursor &c, uint64_t (&lost)[ADA_LOST_REASONS]) {
  for (unsigned r = 0; r < ADA_LOST_REASONS; ++r)
    lost[r] = __atomic_load_n(&thread.lost[r], __ATOMIC_RELAXED) + c.lost[r];
  uint64_t &full = lost[ADA_LOST_RING_FULL], &none = lost[ADA_LOST_NO_MEMORY];
  uint64_t &more = full > 0 ? full : none, &less = full > 0 ? none : full;
  if (c.gaps >= 0)
    more += static_cast<uint64_t>(c.gaps);
  else {
    const uint64_t gaps = 0 - static_cast<uint64_t>(c.gaps), fromMore = gaps < more ? gaps : more;
    more -= fromMore;
    less -= gaps - fromMore < less ? gaps - fromMore : less;
  }
  uint64_t sum = 0;
  for (uint64_t n : lost)
    sum += n;
  return sum;
}

} // namespace ada::ring
