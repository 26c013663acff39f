// What slow and ordinary calls of a function consist of.
//
// For each one, it has the time of every path of callees, split into on-CPU, waiting, preempted and unknown. All of it
// adds up to the duration of the call without the time in which the recorder held it up.
#pragma once

#include "function_times.h"
#include "slow_calls.h"
#include "trace/path_tree.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ada::analysis {

constexpr uint32_t kNoName = ~uint32_t{0};

/// The part of a call that belongs to one path.
struct CallPart {
  uint32_t node = PathTree::kRoot; ///< in CallSample::paths; the root is the function itself
  uint32_t calls = 0;
  uint64_t cpuNs = 0, waitingNs = 0;
};

struct SampledCall {
  uint32_t thread = 0; ///< in the table given
  uint64_t beginSeq = 0, endSeq = 0, beginNs = 0, endNs = 0;
  bool isSlow = false;
  bool isException = false;                    ///< it was left by an exception
  bool hasException = false;                   ///< one of the calls in it was
  uint64_t nth = 0;                            ///< number of the call among those of its thread, from 0
  uint32_t caller = kNoName, before = kNoName; ///< numbers of names: the caller, and what that called just before
  uint64_t preemptedNs = 0, recorderNs = 0, unknownNs = 0;
  std::vector<CallPart> parts;

  /// Without time of the recorder.
  uint64_t durationNs() const { return endNs - beginNs - recorderNs; }
  CallId id() const { return {thread, beginSeq}; }
};

/// "thread 3 (compactor)"
std::string threadText(const TraceTable &table, uint32_t thread);

struct CallSample {
  std::vector<SampledCall> calls;  ///< slow ones, and ordinary ones; by thread and time
  uint64_t slow = 0, ordinary = 0; ///< how many of each are in `calls`
  uint64_t all = 0;                ///< calls of the function, sampled or not
  std::vector<FunctionTimes::OfThread> threads;
  bool callsWaitFunctions = false; ///< some of the calls do, directly or not
  PathTree paths;                  ///< Node::function is the number of a name
  std::vector<std::string> names;
  std::vector<LongCall> longCalls; ///< by time

  /// Leaves about `most` calls of each kind, evenly chosen, and `always`.
  void thin(uint64_t most, const CallId &always);
};

/// Reads the insides of the slow and the ordinary calls, or of SlowLimits::mostSampled of each kind, chosen at random:
/// only the blocks of the trace that they lie in, several at a time. `calls` are the calls that `limits` are about.
Expected<CallSample> sampleCalls(model::TraceSource &source, TraceTable &table, const ReadTimes &times,
                                 const FunctionTimes &function, const CallTimes &calls, const SlowLimits &limits,
                                 Damage &damage);

} // namespace ada::analysis
