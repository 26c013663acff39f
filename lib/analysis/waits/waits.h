// What threads waited for, which thread held it meanwhile, and what that thread was doing.
#pragma once

#include "analysis/processes/process_kinds.h"
#include "wait_state.h"

#include <algorithm>
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
  /// If they are folded: how many threads, of processes with this command line. `thread` is one of them.
  uint32_t threads = 1;
  std::string command = {};
};

/// The key with the most time; `none` if there is none.
template <class Key> Key mostOf(const std::map<Key, uint64_t> &times, Key none) {
  const auto most = std::ranges::max_element(times, {}, &std::pair<const Key, uint64_t>::second);
  return most == times.end() ? none : most->first;
}

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
  /// The same object, whichever function made it; or if neither is known, waits in the same library function.
  bool isSame(const WaitedFor &of) const;
};

/// What an object of WaitState is for users.
inline WaitedFor describe(const WaitObject &object) {
  return {object.process, object.kind, object.value, object.other, object.joined, object.place, object.callee};
}

struct WaitRow {
  WaitedFor object;
  uint64_t waits = 0, totalNs = 0, maxNs = 0, timeouts = 0, open = 0;
  uint32_t maxThread = 0;         ///< the thread of the longest wait
  std::optional<uint64_t> maxSeq; ///< the number of its call
  /// If several are folded: how many processes, and their command line. The object is one that the longest could have.
  uint32_t processes = 1;
  std::string command;
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
  FilterOptions filter = {};
  WaitsBy by = WaitsBy::Object;
  /// Folds the waits of processes that are alike, by the functions that created the objects (if unknown: that waited).
  const ProcessKinds *kinds = nullptr;
  /// False if it is known that no function of a library is called: then one reading is enough, because what nobody is
  /// seen to wake is not looked for.
  bool callsLibrary = true;
};

struct Waits {
  std::vector<WaitRow> rows; ///< in no particular order
  std::vector<std::vector<DeadlockThread>> deadlocks;
  bool hasWaitFunctions = false, hasArguments = false, hasLane = false;
};

/// Gets all that the second reading finds out.
class WaitObserver : public WaitListener {
public:
  virtual void attach(const WaitState &state) = 0; ///< before the first event
};

/// Waits of the given threads. Reads all threads twice: it must know which threads wake others before it adds up what
/// they do.
Expected<Waits> readWaits(const Trace &trace, const WaitsOptions &options, WaitObserver *observer = nullptr);
/// Deadlocks only.
Expected<std::vector<std::vector<DeadlockThread>>> readDeadlocks(model::TraceSource &source, TraceTable &table);

} // namespace ada::analysis
