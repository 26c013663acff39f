// Finds which calls have to be left out so that an output does not become too large.
#pragma once

#include "ada/trace/convert.h"

#include <functional>
#include <memory>

namespace ada::formats {

/// What a conversion writes to and how it reads.
struct BudgetUse {
  std::function<std::unique_ptr<model::TraceSink>(model::ByteSink)> makeSink;
  /// Reads the trace, or the part that was asked for, into the sink. Called several times.
  std::function<Expected<void>(model::TraceSink &)> read;
  uint64_t minDurationNs = 0; ///< requested in addition
};

/// How long calls have to be so that makeSink's output has at most `bytes`: the shortest are left out. Nothing is
/// estimated: an output with the returned duration was written once, to nowhere. Errors: those of read(),
/// and E_BUDGET if not even an output without calls is small enough.
Expected<uint64_t> minDurationFor(uint64_t bytes, const BudgetUse &use);

} // namespace ada::formats
