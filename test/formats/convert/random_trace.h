// Random traces: threads, functions, and calls that are mostly balanced.
// The rest looks like the traces of programs that were killed, unwound or recorded in part.
#pragma once

#include "recorded_trace.h"

namespace ada::test {

/// The divisor for the number of cases: with sanitizers each case costs ten times as much.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr unsigned kCasesPart = 8;
#else
inline constexpr unsigned kCasesPart = 1;
#endif

struct RandomOptions {
  unsigned seed = 0;
  bool details = false;         ///< up to three per event
  bool texts = false;           ///< marks and values
  bool anyBytes = false;        ///< names that are not UTF-8
  uint32_t maxKind = 0xFF;      ///< of events without a name
  bool unusedFunctions = false; ///< functions that no event is about
};
RecordedTrace randomTrace(const RandomOptions &options);

} // namespace ada::test
