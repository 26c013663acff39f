// Finds where two runs of a program did different things.
//
// The calls of their threads are compared one by one, in the order in which they were made. While both threads make the
// same calls, nothing is reported. Where they diverge, the calls that each makes next in the same caller are searched
// for the nearest pair with the same function. The calls before that pair, on either side, are the difference, and the
// comparison continues after them. Only a part of each trace is held in memory. If the search would have to go beyond
// it, the rest of the caller is one difference.
#pragma once

#include "analysis/calls/call_filter.h"
#include "analysis/events/trace_table.h"

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace ada::analysis {

/// One of the two traces, whose source must be threadwise.
struct FlowSide {
  model::TraceSource *source = nullptr;
  const TraceTable *table = nullptr;
  std::vector<uint32_t> threads;
};

struct FlowOptions {
  FilterOptions filter; ///< may choose functions only, no duration and no time range
  bool values = false;  ///< also compare arguments and results
};

enum class FlowKind : uint8_t {
  Calls,     ///< one side, or both, made calls that the other did not
  Arguments, ///< the same call with other arguments
  End,       ///< the same call, but with another result, left by an exception, or not ended
  Rest,      ///< the rest of the innermost caller differs too much to say how
};

struct FlowCall {
  uint64_t seq = 0;      ///< number of its event in the thread
  uint32_t function = 0; ///< in FlowFunctions
  uint64_t times = 1;    ///< repetitions in a row; `seq` and `arguments` are the first one's
  std::string arguments;
};

struct FlowPart {
  uint64_t timeNs = 0;         ///< where it begins, on the trace's clock
  std::vector<FlowCall> calls; ///< Calls: the first of them. Arguments and End: the call itself
  uint64_t more = 0;           ///< number of calls not listed: those beyond kListed, and all of them for Rest
  std::string end;             ///< End: "(result)", "exception", "open"
};

struct FlowDifference {
  static constexpr size_t kListed = 8;
  FlowKind kind = FlowKind::Calls;
  uint64_t sameCalls = 0;        ///< since the last difference, or the start of the thread
  std::vector<uint32_t> callers; ///< functions that both are in, the outermost first
  FlowPart a, b;
};

/// Numbers the functions of both sides in common. May be used while the traces are being read.
class FlowFunctions {
public:
  const model::Function &operator[](uint32_t number) const {
    const std::lock_guard lock(mutex_);
    return functions_[number];
  }
  /// Functions are the same if their names are.
  uint32_t number(const model::Function &function);

private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::deque<model::Function> functions_; // elements do not move
};

/// Receives the differences.
class FlowOutput {
public:
  virtual ~FlowOutput();
  /// The differences that follow are between these threads.
  virtual void beginThread(uint32_t threadA, uint32_t threadB) = 0;
  /// Returns false to stop.
  virtual bool difference(const FlowDifference &difference, const FlowFunctions &functions) = 0;
  /// The thread was compared to its end. `sameCalls`: number of calls without a difference.
  virtual void endThread(uint64_t sameCalls) = 0;
};

struct FlowThreads {
  std::vector<uint32_t> onlyA, onlyB; ///< threads without a match on the other side; empty if isCut
  bool isCut = false;                 ///< FlowOutput asked to stop
};

/// Compares threads that have the same key (session_match.h), one pair after the other.
Expected<FlowThreads> compareFlows(const FlowSide &a, const FlowSide &b, const FlowOptions &options,
                                   FlowOutput &output);

} // namespace ada::analysis
