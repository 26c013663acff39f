// Fits the call trees of a trace into a number of lines: finds which calls are too short to matter.
#pragma once

#include "tree_walk.h"

namespace ada::analysis {

/// The duration that calls must have to be shown (FilterOptions::minDurationNs) so that walkTrees() makes at most
/// `mostLines` lines. If all lines fit, that is the given filter's; otherwise it is about the shortest such duration,
/// found by reading the trace a few times. Calls that have not ended are always shown, so there may still be more
/// lines. Traces with more than `mostEvents` events are not read. The other parameters are those of walkTrees().
Expected<uint64_t> fitTrees(model::TraceSource &source, TraceTable &table, const std::vector<uint32_t> &threads,
                            const FilterOptions &filter, const TreeWalkOptions &options, uint64_t mostLines,
                            uint64_t mostEvents = 100'000'000);

} // namespace ada::analysis
