// How each thread of a trace ended: the calls that are open, and the last ones before.
#pragma once

#include "call_filter.h"
#include "thread_workers.h"
#include "value_reader.h"

#include <vector>

namespace ada::analysis {

struct EndCall {
  Span span; ///< Span::functionIndex: in ThreadEnds::functions
  EventValues values;
};

struct ThreadEnd {
  uint32_t thread = 0;
  std::vector<EndCall> open;     ///< the innermost first
  std::vector<EndCall> finished; ///< the last ones, the very last first
};

struct ThreadEnds {
  std::vector<ThreadEnd> threads; ///< by number; those without events have no calls
  std::vector<model::Function> functions;
  Damage damage;
};

/// Reads the given threads, several at a time, and keeps up to `recent` finished calls of each. `table` must hold the
/// threads already. Values are not read: see ValueReader.
Expected<ThreadEnds> readThreadEnds(const Trace &trace, const FilterOptions &filter, size_t recent);

} // namespace ada::analysis
