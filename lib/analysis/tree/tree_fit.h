// Fits the call trees of a trace into a number of lines: finds which calls are too short to matter.
#pragma once

#include "tree_walk.h"

namespace ada::analysis {

/// Which calls are shown, in FilterOptions.
struct TreeFit {
  uint64_t minDurationNs = 0;
  uint32_t depth = ~uint32_t(0);
  bool isCut = false; ///< even so there are too many lines: show the first of them
};

/// How to choose calls so that walkTrees() makes at most `mostLines` lines. If all lines fit, that is as the given
/// filter does; otherwise minDurationNs is about the shortest with which they do, found by reading the trace a few
/// times. Where that leaves no line, because too many calls take equally long (recursion does), it is less, and the
/// deepest of these calls are left out; if even the outermost of them are too many, `isCut` is set. Calls that have not
/// ended are always shown, so there may still be more lines.
/// Traces with more than `mostEvents` events are not read. The other parameters are those of walkTrees().
Expected<TreeFit> fitTrees(const Trace &trace, const FilterOptions &filter, const TreeWalkOptions &options,
                           uint64_t mostLines, uint64_t mostEvents = 100'000'000);

} // namespace ada::analysis
