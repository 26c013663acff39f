// The cost of the calls in a time range: statistics, lengths, paths. Each answer reads a limited number of events.
#pragma once

#include "trace/path_tree.h"
#include "trace/statistics.h"
#include "trace_view.h"

#include <cstdint>
#include <vector>

namespace ada::view {

struct RangeRequest {
  std::vector<uint32_t> threads;
  uint64_t fromNs = 0, toNs = 0; ///< on the trace's clock
  /// Limit for all threads together. What comes after it is left out, and the answer says so.
  uint64_t mostEvents = 20'000'000;
};

struct RangeStatistics {
  struct Function {
    uint32_t function = 0;
    uint64_t calls = 0, totalNs = 0, selfNs = 0, recorderNs = 0; ///< selfNs does not include recorderNs
    uint64_t minNs = 0, maxNs = 0, p50Ns = 0, p99Ns = 0;
  };
  /// For the calls that begin in the range, counted as FunctionStatistics does.
  std::vector<Function> functions;
  uint64_t calls = 0;
  bool isComplete = true;
};
/// For whole threads with more events, the answer comes from the index; percentiles are then off by 1/32 at most.
Expected<RangeStatistics> rangeStatistics(TraceView &view, const RangeRequest &request);

struct LengthHistogram {
  struct Bucket {
    uint64_t fromNs = 0, toNs = 0; ///< [from, to); the next one begins where this one ends
    uint64_t calls = 0;
  };
  std::vector<Bucket> buckets;
  uint64_t calls = 0, minNs = 0, maxNs = 0;
  bool isComplete = true;
};
/// For one function's calls that begin in the range and have ended.
Expected<LengthHistogram> lengthHistogram(TraceView &view, const RangeRequest &request, uint32_t function);

struct RangePaths {
  /// Sorted. For each call that touches the range, counts the time that lies in it.
  PathTree tree;
  bool isComplete = true;
};
Expected<RangePaths> rangePaths(TraceView &view, const RangeRequest &request, size_t mostNodes);

} // namespace ada::view
