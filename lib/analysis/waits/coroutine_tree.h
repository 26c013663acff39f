// The logical call tree of coroutines, folded.
#pragma once

#include "coroutines.h"

#include <cstdint>
#include <vector>

namespace ada::analysis {

/// All coroutines that the same function created below the same parents: a node of the folded logical call tree.
struct CoroutineNode {
  uint32_t function = kNoCoroutine;
  uint32_t depth = 0;
  CoroutineLink link = CoroutineLink::None; ///< the strongest of them
  uint64_t count = 0, open = 0, exceptions = 0, cancelled = 0, resumptions = 0;
  uint64_t lifeNs = 0, runningNs = 0, suspendedNs = 0, longestNs = 0; ///< sums, and the longest life
  uint32_t longest = kNoCoroutine;                                    ///< the coroutine with the longest life
};
/// Parents come before their children; siblings with the longest total life come first.
std::vector<CoroutineNode> foldCoroutines(const Coroutines &coroutines);

} // namespace ada::analysis
