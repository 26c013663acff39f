// Which thread ran on which processor, from the scheduling records of all threads.
#pragma once

#include "analysis/events/trace_table.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ada::view {

/// A time on one processor: one run of a thread, or several that are too short to be drawn.
struct ProcessorBox {
  uint64_t fromNs = 0, toNs = 0, runs = 0, fillNs = 0;
  uint32_t thread = 0; ///< the one that ran most of it
};

struct ProcessorLanes {
  std::map<uint32_t, std::vector<ProcessorBox>> lanes; ///< by processor; boxes by time
  /// Threads of which it is not known where they ran.
  std::vector<uint32_t> unknown;
};

/// What ran in fromNs <= t < toNs. Runs shorter than a pixel are added up by pixel.
ProcessorLanes processorLanes(const analysis::TraceTable &table, const std::vector<uint32_t> &threads, uint64_t fromNs,
                              uint64_t toNs, uint64_t pixels);

} // namespace ada::view
