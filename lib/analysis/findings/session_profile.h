// What all calls of a session cost: by function, by path, and by the time at which they began. Read once, in parts.
//
// Requests are the outermost calls that repeat: calls of the program's own functions that are made kLeastRequests times
// or more, each of which takes a small part of the run, and that are not inside other such calls. Functions that only
// wait for work, in a loop that does the work elsewhere, are not requests.
#pragma once

#include "analysis/calls/thread_workers.h"
#include "analysis/outliers/duration_bins.h"
#include "trace/path_tree.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ada::analysis {

inline constexpr uint64_t kLeastRequests = 20;
inline constexpr size_t kSlots = 16; ///< parts of the run

/// What the calls of a path did; times of calls inside them are not in `self…`.
struct PathCost {
  uint64_t calls = 0, exceptions = 0;
  uint64_t totalNs = 0, selfNs = 0; ///< without the recorder's
  uint64_t waitingNs = 0, preemptedNs = 0, selfWaitingNs = 0, selfPreemptedNs = 0, unknownNs = 0;
  uint64_t exceptionNs = 0; ///< without waits, in calls that an exception left, outside of calls inside them
  uint64_t catchNs = 0;     ///< after those calls: from there to the catch, and in it up to its caller's next event
  uint64_t firstNs = ~uint64_t{0}; ///< when the first one began

  uint64_t selfOnCpuNs() const { return selfNs - std::min(selfNs, selfWaitingNs + selfPreemptedNs); }
  /// With the time for which it had no core: what it takes, whatever else the machine does.
  uint64_t selfWorkNs() const { return selfNs - std::min(selfNs, selfWaitingNs); }
  uint64_t onCpuNs() const { return totalNs - std::min(totalNs, waitingNs + preemptedNs); }
  /// By how much longer it took because it had no core now and then: 1 if it always had one.
  double perCore() const {
    const uint64_t workNs = totalNs - std::min(totalNs, waitingNs);
    return onCpuNs() ? static_cast<double>(workNs) / static_cast<double>(onCpuNs()) : 1;
  }
  PathCost &operator+=(const PathCost &other);
};

/// All functions of one name.
struct FunctionCost {
  std::string name; ///< its display name
  bool isLibrary = false;
  PathCost sum;           ///< `totalNs` and what belongs to it, of outermost calls
  DurationBins durations; ///< of outermost calls that ended
  struct Slot {
    uint64_t calls = 0, onCpuNs = 0;
  };
  std::array<Slot, kSlots> slots; ///< outermost calls that ended, by the time at which they began
};

struct SessionProfile {
  uint64_t beginNs = 0, endNs = 0;
  uint64_t recorderNs = 0;
  std::vector<FunctionCost> functions;
  PathTree paths;                     ///< Node::function is a number in `functions`
  std::vector<PathCost> costs;        ///< by node of `paths`
  std::vector<uint32_t> requests;     ///< functions, by the time in them, the longest first
  std::vector<uint32_t> requestNodes; ///< of `paths`
  std::vector<bool> isInRequest;      ///< by node
  uint64_t requestCalls = 0, requestsNs = 0;
  uint64_t firstRequestNs = 0; ///< when the first one began; 0 without requests
  /// A call that was open when the trace ended.
  struct OpenCall {
    uint32_t thread = 0, depth = 0, function = 0; ///< a number in `functions`
    uint64_t beginNs = 0, lastNs = 0;             ///< when it began; its thread's last event
  };
  std::vector<OpenCall> open;
  /// The program's own function that took most of a thread, of those that no other one called.
  struct Root {
    uint32_t thread = 0, function = 0;
    uint64_t ns = 0;
  };
  std::vector<Root> roots; ///< one for each thread that has such calls

  uint64_t runNs() const { return endNs - beginNs; }
  /// Whether a wait of that length until the end may be one that would never have ended.
  bool isHang(uint64_t ns) const { return ns >= runNs() / 4; }
  /// The time in requests, or without requests the run.
  uint64_t totalNs() const { return requests.empty() ? runNs() : requestsNs; }
  /// What all calls have of one cost.
  uint64_t sumOf(uint64_t PathCost::*cost) const;
  /// The function around that of a node.
  uint32_t callerOf(uint32_t node) const { return paths[paths[node].parent].function; }
  bool isOwn(uint32_t node) const {
    return PathTree::isFunction(paths[node].function) && !functions[paths[node].function].isLibrary;
  }
};

Expected<SessionProfile> readProfile(const Trace &trace, Damage &damage);

} // namespace ada::analysis
