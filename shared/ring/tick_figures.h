// How coarse the times of clock=tick were, from what the ring's header has summed up.
#pragma once

#include "ring_file.h"
#include "shared/wide.h"

namespace ada::ring {

// The first anchor that is still known and useful.
inline uint64_t firstAnchor(const ada_ring_header &h) {
  const uint64_t known = h.anchors_used > ADA_RING_ANCHORS ? h.anchors_used - ADA_RING_ANCHORS : 0;
  return h.anchors_from > known ? h.anchors_from : known;
}

struct TickFigures {
  uint64_t resolutionNs, longestNs; // the latter is 0 if nothing is known yet
};

// A point in time is more likely to lie in a long gap than in a short one, so the mean is taken over time, not over
// gaps.
inline TickFigures tickFigures(const ada_ring_header &h, const ada_anchor *anchors) {
  const uint64_t used = h.anchors_used;
  const uint64_t gaps = __atomic_load_n(&h.tick_gaps, __ATOMIC_RELAXED);
  const uint64_t squares = __atomic_load_n(&h.tick_gaps_squared, __ATOMIC_RELAXED);
  const uint64_t longest = __atomic_load_n(&h.tick_longest, __ATOMIC_RELAXED);
  if (used < 2 || gaps == 0)
    return {h.tick_ns, 0};
  const ada_anchor &a = anchors[firstAnchor(h) % ADA_RING_ANCHORS], &b = anchors[(used - 1) % ADA_RING_ANCHORS];
  if (b.counter <= a.counter)
    return {h.tick_ns, 0};
  const auto nanoseconds = [&](Wide stamps) {
    return static_cast<uint64_t>(stamps * (b.time_ns - a.time_ns) / (b.counter - a.counter));
  };
  return {nanoseconds((Wide{squares} << 16) / gaps), nanoseconds(longest)};
}

} // namespace ada::ring
