// What threads waited for, which thread held it meanwhile, and what that thread was doing.
#pragma once

#include "wait_state.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ada::analysis {

/// The thread that held the object, or that woke the waiting thread.
struct WaitHolder {
  uint32_t thread = kNobody;
  /// The program's own function that it was in for most of that time, and the library function that this one had called
  /// then; kNobody for none.
  uint32_t function = kNobody, library = kNobody;
  uint32_t takenIn = kNobody; ///< the function that took the lock, or that woke the waiting thread
  uint64_t waits = 0;         ///< for which it was the holder
  uint64_t ns = 0;            ///< how much of the waiting time was due to it
  OffCpuTimes off;            ///< during its time as the holder, counted for each waiting thread
  bool hasEnded = false;      ///< it ended without releasing the object
};

struct WaitCaller {
  uint32_t function = kNobody;
  uint64_t waits = 0, ns = 0;
};

/// What is waited for, as shown to users.
struct WaitedFor {
  uint32_t process = 0;
  WaitKind kind = WaitKind::Own;
  std::optional<uint64_t> value, other; ///< address; descriptors
  uint32_t joined = kNobody;            ///< thread
  uint32_t place = kNobody;             ///< the function that made it
  uint32_t callee = kNobody;            ///< if the object is not known: the library function

  bool isKnown() const { return value || joined != kNobody; }
};

/// What an object of WaitState is for users.
inline WaitedFor describe(const WaitObject &object) {
  return {object.process, object.kind, object.value, object.other, object.joined, object.place, object.callee};
}

struct WaitRow {
  WaitedFor object;
  uint64_t waits = 0, totalNs = 0, maxNs = 0, timeouts = 0, open = 0;
  uint32_t maxThread = 0;          ///< the thread of the longest wait
  std::optional<uint64_t> maxSeq;  ///< the number of its call
  std::vector<WaitCaller> callers; ///< the longest first
  std::vector<WaitHolder> holders; ///< likewise
};

/// One thread of a deadlock, in the order in which each waits for the next.
struct DeadlockThread {
  uint32_t thread = 0;
  WaitedFor object;
  uint64_t beginNs = 0;
  uint32_t takenIn = kNobody;   ///< the function in which the next thread took it
  std::vector<uint32_t> frames; ///< functions of its open calls, the innermost first
};

enum class WaitsBy { Object, Place };

struct WaitsOptions {
  FilterOptions filter;
  WaitsBy by = WaitsBy::Object;
};

struct Waits {
  std::vector<WaitRow> rows; ///< in no particular order
  std::vector<std::vector<DeadlockThread>> deadlocks;
  bool hasWaitFunctions = false, hasArguments = false, hasLane = false;
};

/// By process: the time until which its calls that never ended are open. It is the end of the process if that is known,
/// otherwise the end of the trace.
std::vector<uint64_t> endsOfProcesses(const TraceTable &table);

/// Waits of the given threads. Reads all threads twice: it must know which threads wake others before it adds up what
/// they do.
Expected<Waits> readWaits(const Trace &trace, const WaitsOptions &options);
/// Deadlocks only.
Expected<std::vector<std::vector<DeadlockThread>>> readDeadlocks(model::TraceSource &source, TraceTable &table);

} // namespace ada::analysis
