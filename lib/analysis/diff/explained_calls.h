// The calls of one function in all runs of two sides, with common numbers for paths and reasons of waits.
//
// What a call consists of is found by outliers/: call_sample.h and call_parts.h. Here the runs are put together: paths
// are the same if their names are, and waits if what they have in common between runs is (WaitReason::kind).
#pragma once

#include "analysis/outliers/call_parts.h"
#include "analysis/outliers/call_properties.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ada::analysis {

enum Side : uint8_t { kBefore, kAfter };
template <class T> using BothSides = std::array<T, 2>;

/// One function in one run. It needs the trace no longer.
struct ExplainRun {
  CallTimes times; ///< of all calls, with time of the recorder
  CallSample sample;
  CallWaits waits;
  CallValues values;
  bool hasSched = false;
};

/// Reads what `function`, a display name, did. Without a complete call, `times` is empty. At most `mostSampled` of the
/// slowest 2 % of its calls are looked at, and as many of the others.
Expected<ExplainRun> readExplainRun(const Trace &trace, const std::string &function, size_t mostSampled,
                                    uint64_t fromNs, uint64_t toNs, Damage &damage);

struct ExplainedCall {
  double ns = 0;
  double weight = 0;           ///< the share of its run's calls that it stands for
  std::vector<CallPart> parts; ///< without the waits below; by ExplainedCalls::paths
  std::vector<ReasonNs> waits; ///< by ExplainedCalls::reasons
  double preemptedNs = 0, recorderNs = 0, unknownNs = 0;
  bool isException = false;
  const std::map<std::string, CallValue> *values = nullptr; ///< in the ExplainRun
};

struct ExplainedRun {
  Side side = kBefore;
  size_t first = 0, end = 0; ///< its calls
  const CallTimes *times = nullptr;
};

struct ExplainedCalls {
  std::vector<ExplainedCall> calls; ///< by run, then by duration
  std::vector<ExplainedRun> runs;   ///< those before first
  BothSides<size_t> runsOf = {};
  PathTree paths; ///< Node::function is the number of a name
  std::vector<std::string> names, reasons;

  std::span<const ExplainedCall> of(const ExplainedRun &run) const {
    return std::span(calls).subspan(run.first, run.end - run.first);
  }
};

/// The runs, of which each has a call, must outlive the result.
ExplainedCalls joinRuns(std::span<const ExplainRun *const> before, std::span<const ExplainRun *const> after);

} // namespace ada::analysis
