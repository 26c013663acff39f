// What a person asks about one call: where its time went, and what sets it apart.
//
// The answers are those of the analyses behind `why` and `outliers`, on a part of the trace around the call if the
// whole trace would take too long.
#pragma once

#include "analysis/outliers/outliers.h"
#include "analysis/waits/why.h"
#include "call_answers.h"
#include "trace_view.h"

#include <atomic>
#include <cstdint>
#include <functional>

namespace ada::view {

struct AnalysisLimits {
  uint64_t mostEvents = 0;               ///< that the part of the trace may have
  std::function<bool()> isOver = {};     ///< asked now and then by any thread; true ends the analysis with E_STOPPED
  std::function<void(double)> tell = {}; ///< gets the progress, 0 to 1, now and then
};

/// The part of the trace that was read.
struct AnalysedPart {
  uint64_t fromNs = 0, toNs = 0;
  bool isWhole = true;
  bool isTooLong = false; ///< the call alone has more events than the limit: nothing was analysed
};

/// Functions are numbers of `reader`.
using WhyUse = std::function<void(const analysis::Why &, const Reader &reader)>;
/// Errors: those of the source, and E_STOPPED. Nothing is passed to `use` if the call is too long.
Expected<AnalysedPart> explainCall(TraceView &view, const CallDetails &call, const AnalysisLimits &limits,
                                   const WhyUse &use);

using OutliersUse =
    std::function<void(const analysis::Outliers &, const analysis::FunctionTimes &, const Reader &reader)>;
/// Likewise. The slow calls are those of `adatrace outliers` if the call is among them, and otherwise those that are at
/// least as slow as it.
Expected<AnalysedPart> compareCall(TraceView &view, const CallDetails &call, const AnalysisLimits &limits,
                                   const OutliersUse &use);

} // namespace ada::view
