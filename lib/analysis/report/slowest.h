// The calls of a trace that took longest, one by one.
#pragma once

#include "analysis/calls/call_filter.h"

#include <string>
#include <vector>

namespace ada::analysis {

struct SlowCall {
  Span span; ///< Span::functionIndex is the function's number in the trace
  uint32_t thread = 0;
  std::string arguments, result; ///< see CallTexts
};

/// The `limit` calls that took longest, the longest first. Memory: that many calls, and the open ones. `table` must
/// hold the threads already.
Expected<std::vector<SlowCall>> slowestCalls(const Trace &trace, const FilterOptions &filter, size_t limit,
                                             bool values);

} // namespace ada::analysis
