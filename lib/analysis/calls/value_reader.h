// Reads arguments and results of single calls, once it is known which are wanted.
#pragma once

#include "ada/trace/calls.h"
#include "value_texts.h"

#include <string>

namespace ada::analysis {

/// What was recorded with one event. Empty if nothing was.
struct EventValues {
  std::string arguments; ///< "(n=10)"
  std::string json;      ///< the same as an object: {"n":10}
  std::string result;    ///< "55"
};

class ValueReader {
public:
  /// Both must outlive this; `table` must hold what the source has announced so far.
  ValueReader(model::TraceSource &source, TraceTable &table) : source_(source), table_(table), texts_(table) {}

  Expected<EventValues> of(uint32_t thread, uint64_t seq);
  /// Arguments of the call, and its result if it returned.
  Expected<EventValues> of(uint32_t thread, const Span &call);

private:
  model::TraceSource &source_;
  TraceTable &table_;
  ValueTexts texts_;
};

} // namespace ada::analysis
