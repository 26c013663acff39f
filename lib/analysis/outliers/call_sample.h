// What slow and ordinary calls of a function consist of.
//
// For each one, it has the time of every path of callees, split into on-CPU, waiting, preempted, held up by the
// recorder, and unknown. All of it adds up to the duration of the call.
#ifndef ADA_LIB_ANALYSIS_CALL_SAMPLE_H
#define ADA_LIB_ANALYSIS_CALL_SAMPLE_H

#include "model/path_tree.h"
#include "slow_calls.h"

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
  bool isSlow = false, isException = false;
  uint64_t nth = 0;                            ///< number of the call among those of its thread, from 0
  uint32_t caller = kNoName, before = kNoName; ///< numbers of names: the caller, and what that called just before
  uint64_t preemptedNs = 0, recorderNs = 0, unknownNs = 0;
  std::vector<CallPart> parts;

  uint64_t durationNs() const { return endNs - beginNs; }
};

/// "thread 3 (compactor)"
std::string threadText(const TraceTable &table, uint32_t thread);

/// A long call on any thread, outside of the function itself.
struct LongCall {
  uint32_t name = 0, thread = 0;
  uint64_t beginNs = 0, endNs = 0;
};

struct CallSample {
  std::vector<SampledCall> calls;      ///< slow ones, and ordinary ones; by thread and time
  uint64_t slow = 0, ordinary = 0;     ///< how many of each are in `calls`
  uint64_t all = 0;                    ///< calls of the function, sampled or not
  std::vector<uint64_t> callsOfThread; ///< by thread
  std::vector<uint64_t> firstOfThread; ///< by thread: when its first call began; UINT64_MAX if it made none
  bool callsWaitFunctions = false;     ///< some of the calls do, directly or not
  PathTree paths;                      ///< Node::function is the number of a name
  std::vector<std::string> names;
  std::vector<LongCall> longCalls; ///< by time
};

/// Reads the trace once, several threads at a time. At most SlowLimits::mostSampled calls of each kind are kept.
Expected<CallSample> sampleCalls(model::TraceSource &source, const TraceTable &table,
                                 const std::vector<uint32_t> &threads, const std::string &function,
                                 const SlowLimits &limits, uint64_t fromNs, uint64_t toNs, Damage &damage);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_CALL_SAMPLE_H
