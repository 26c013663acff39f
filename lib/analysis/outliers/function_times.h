// Reads how long the calls of functions took: once through the trace, several threads and parts of threads at a time.
//
// Time of the recorder does not count. Neither does preemption as a rule: it comes from outside and hits any call.
#pragma once

#include "analysis/calls/thread_workers.h"
#include "call_times.h"
#include "duration_bins.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::analysis {

/// A long call outside of the functions that are looked at.
struct LongCall {
  uint32_t name = 0, thread = 0;
  uint64_t beginNs = 0, endNs = 0;
};

/// The complete calls of one function that are not inside another call of it.
struct FunctionTimes {
  std::string function; ///< its display name; functions of that name in all processes count as one
  CallTimes undisturbed;
  /// Calls that were preempted for a twentieth of their durations or more. The second one has those that were preempted
  /// for at most half of it, without the time in which they were.
  CallTimes preempted, preemptedLess;
  /// The others, without that time; and that time in nanoseconds, by what remained. Which calls these are is not kept.
  CallTimes mostlyPreempted{false};
  DurationBins mostlyPreemptedNs;
  uint64_t longestNs = 0;
  uint64_t longer = 0;    ///< calls that took longer than TimesWanted::longerThanNs
  uint64_t slower = 0;    ///< calls that took longer than TimesWanted::asked
  bool isComplete = true; ///< calls were kept; if not, read again with `names`
  struct OfThread {
    uint32_t thread = 0;
    uint64_t calls = 0, firstNs = ~uint64_t(0); ///< all calls, and when the first one began
  };
  std::vector<OfThread> threads; ///< in ascending order; of complete functions

  /// All calls by their whole durations.
  CallTimes all() const;
  /// Calls that were not preempted for most of their durations, by what remains without preemption.
  CallTimes withoutPreemption() const;
};

/// A call that is kept, and sampled if it is slow or ordinary.
struct AskedCall {
  uint32_t thread = ~uint32_t{0};
  uint64_t beginNs = 0, ns = ~uint64_t(0);
};

struct TimesWanted {
  std::vector<std::string> globs; ///< functions, or
  std::vector<std::string> names; ///< exactly these
  uint64_t fromNs = 0, toNs = ~uint64_t(0);
  uint64_t longerThanNs = ~uint64_t(0);
  AskedCall asked = {};
  bool withRecorder = false; ///< time of the recorder counts
  size_t mostComplete = 16;  ///< only for that many functions, calls are kept
};
struct ReadTimes {
  std::vector<FunctionTimes> functions; ///< by name; only those with a complete call
  std::vector<LongCall> longCalls;      ///< by begin
  std::vector<std::string> names;       ///< of LongCall::name
};

/// Memory: a few megabytes for each complete function, some kilobytes for each of the others.
Expected<ReadTimes> readTimes(const Trace &trace, const TimesWanted &wanted, Damage &damage);

} // namespace ada::analysis
