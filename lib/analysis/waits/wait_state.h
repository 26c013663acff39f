// Tracks which threads own what and wait for what, from the events of all threads in the order of their times.
//
// A wait is a call during which its thread waited off-CPU, according to the scheduling records (off_cpu.h), while no
// call was open inside it. Without such records, it is a call of a waiting function (wait_functions.h) that took
// kShortestWaitNs or longer; all of its time counts then, as it always does for spin locks.
//
// The owner of a lock is known from the calls themselves: from the return of a call that takes it to the call that
// releases it. For everything else that is waited for, the last thread that woke it before the wait ended is known.
// This needs the arguments of these calls. Without them, objects are anonymous: one for each function and its caller.
//
// Memory: threads, their open calls, and objects; locks that no thread owns or waits for are forgotten.
#pragma once

#include "analysis/calls/call_reader.h"
#include "analysis/calls/off_cpu_follower.h"
#include "analysis/processes/process_list.h"
#include "wait_functions.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ada::analysis {

constexpr uint32_t kNobody = ~uint32_t{0}; ///< no thread, no function, no object
constexpr uint64_t kShortestWaitNs = 10'000;
/// A thread that spins is on-CPU for no longer than this between two yields. That many in a row are no preemption,
/// which lets a thread run for longer.
constexpr uint64_t kBetweenYieldsNs = 50'000, kYieldsOfAWait = 3;

/// A thread that owns an object now.
struct Owner {
  uint32_t thread = kNobody;
  uint32_t function = kNobody; ///< the function in which it took it
  uint64_t sinceNs = 0;
  uint32_t count = 1; ///< of a recursive lock
  bool isShared = false;
};

struct WaitObject {
  uint32_t process = 0;
  WaitKind kind = WaitKind::Own;
  /// The address or descriptor; for a join the thread, once it is known. Nothing: anonymous.
  std::optional<uint64_t> value = {};
  std::optional<uint64_t> other = {}; ///< the other end of a pipe or pair
  uint32_t joined = kNobody;          ///< for a join: the thread
  uint32_t place = kNobody;           ///< the function that made it
  uint32_t callee = kNobody;          ///< for anonymous objects: the function that waits
  uint32_t caller = kNobody;          ///< for anonymous objects: its caller
  std::vector<Owner> owners = {};
  std::vector<uint32_t> waiters = {}; ///< threads that wait now
  uint32_t calls = 0;                 ///< open calls that use it: to wait for it, take it, or release it meanwhile

  auto key() const {
    return std::tuple(process, kind, value.has_value(), value.value_or(0), other.value_or(0), joined, place, callee,
                      caller);
  }
};

/// An open call.
struct WaitFrame {
  uint32_t function = kNobody;
  uint64_t beginNs = 0, beginSeq = 0;
  bool isShown = true, isEarlier = false;
  bool isLibrary = false; ///< of a library, or one that waits: not the program's own
  WaitFunction does;
  uint32_t object = kNobody, mutex = kNobody; ///< what it waits for, and what it releases meanwhile
  uint64_t argument = 0;
  std::optional<uint64_t> sleepsNs; ///< how long it asked to sleep, if that was recorded
  /// So far. `untoldNs` is time without any scheduling records, so it is not known whether the thread waited.
  uint64_t waitNs = 0, untoldNs = 0;
  uint64_t recorderNs = 0, unknownNs = 0;
  uint64_t wokenNs = 0; ///< end of the last off-CPU time
  /// Off-CPU time that belongs to its waits although the thread was ready to run: in a call that waits, all of it.
  /// Otherwise yields: a thread that yields a few times, or sleeps after it has yielded, has waited all the time, as
  /// std::atomic::wait does. The others are about yields in a row.
  uint64_t readyNs = 0, yieldedNs = 0, yieldedToNs = 0, yields = 0;
  /// It has no effect on others, and nothing held it up.
  bool isPlain() const {
    return does.action == WaitAction::None && (waitNs | untoldNs | recorderNs | unknownNs | readyNs) == 0;
  }
  void takeReady(const OffCpu &off);
  void takeWait(const OffCpu &off);
  void endYields(bool isWait);
};

/// The end of a call that waited.
struct WaitEnd {
  const WaitFrame *frame = nullptr;
  uint32_t thread = 0;
  uint32_t object = kNobody;
  uint32_t caller = kNobody;      ///< the program's own function it was called from
  uint64_t endNs = 0, waitNs = 0; ///< waitNs: the part that counts, as the system says
  uint64_t readyNs = 0;           ///< more of it: see WaitFrame
  uint32_t waker = kNobody, wakerFunction = kNobody;
  uint64_t wakerNs = 0; ///< when it woke the thread
  /// The waker is the main thread of a child process that ended, and that is known only from the times.
  bool isWakerInferred = false;
  /// Also true for an open call that was its thread's last event, and of which nothing is known except that it waits.
  bool hasWaited = false;
  bool isTimeout = false, isOpen = false, isShown = true;
};

/// A set of threads in which each waits for the next one, and the last for the first.
using Deadlock = std::vector<uint32_t>;

class WaitListener {
public:
  virtual ~WaitListener() = default;
  /// The thread's next event has come, but has no effect yet.
  virtual void beforeEvent(uint32_t /*thread*/, uint64_t /*ns*/) {}
  /// The thread's innermost call has changed.
  virtual void innermostChanged(uint32_t /*thread*/, uint64_t /*ns*/) {}
  virtual void waitBegins(uint32_t /*thread*/, uint64_t /*ns*/) {}
  virtual void ownersChange(uint32_t /*object*/, uint64_t /*ns*/) {}  ///< before
  virtual void ownersChanged(uint32_t /*object*/, uint64_t /*ns*/) {} ///< after
  /// The thread releases what it has owned since before anything was known about it.
  virtual void earlierOwner(uint32_t /*object*/, uint32_t /*thread*/, uint64_t /*ns*/) {}
  /// For every call that may have waited, even if it did not.
  virtual void waitEnds(const WaitEnd &) {}
  /// A call ended in which the recorder held its thread up, or in which it is not known whether the thread waited
  /// (WaitFrame::recorderNs, unknownNs); `caller` is the program's own function that it was in.
  virtual void callWasHeld(uint32_t /*thread*/, const WaitFrame &, uint32_t /*caller*/) {}
};

class WaitState {
public:
  struct ThreadState {
    std::vector<WaitFrame> frames;
    uint64_t lastNs = 0, stackTop = 0;
    bool hasSched = false;      ///< the lane has scheduling records
    std::vector<uint32_t> held; ///< locks
    bool hasBegun = false, hasEnded = false, isJoined = false;
    const OffCpuLane *lane = nullptr;
    OffCpuFollower offCpu;
  };

  /// All must outlive this. Waits count within [filter.fromNs, filter.toNs).
  WaitState(TraceTable &table, const FilterOptions &filter, WaitListener &listener);
  ~WaitState();

  void take(uint64_t seq, const model::Event &event, const model::Batch &batch);
  /// Call this after the last event; open calls last until the end of their process.
  void finish(const std::vector<uint64_t> &endsOfProcesses);
  /// Deadlocks that cannot end: open calls of locks and joins without a timeout. Call this before finish().
  std::vector<Deadlock> deadlocks() const;

  const TraceTable &table() const { return table_; }
  const ThreadState &thread(uint32_t thread) const { return threads_[thread]; }
  const WaitObject &object(uint32_t object) const { return objects_[object]; }
  /// The main thread of what the process of this thread executed then.
  uint32_t mainThreadAt(uint32_t thread, uint64_t ns) const;
  /// The program's own function that the thread is in, and the library function that this one has called.
  std::pair<uint32_t, uint32_t> innermost(uint32_t thread) const;
  /// True if a thread's scheduling records end while it waits, and it has had no event since: it is still waiting then.
  bool waitsBeyond(const OffCpuLane &lane) const;
  /// The call in which the thread waits now, or null.
  const WaitFrame *waiting(uint32_t thread) const;
  /// The threads that it waits for, as far as known during the wait: owners of the lock, or the joined thread.
  std::vector<uint32_t> waitedFor(uint32_t thread) const;

  /// The depth of the program's own call in which an owner of the object took it, if that call is still open.
  uint32_t depthOfTaker(uint32_t object, uint32_t thread) const;

  bool hasWaitFunctions() const { return hasWaitFunctions_; } ///< some were called
  bool hasArguments() const { return hasArguments_; }         ///< some of these calls have arguments

private:
  struct Reader;
  enum class Space { Address, Descriptor }; ///< what the numbers of objects mean
  struct Wake {
    uint32_t thread = kNobody, function = kNobody;
    uint64_t ns = 0, value = 0;
    bool isWrite = true;
  };
  struct Wakes {
    std::array<Wake, 8> last;
    size_t count = 0;
  };
  struct Known {
    WaitFunction does;
    bool isLibrary = false;
  };

  void begin(uint32_t thread, uint64_t seq, const model::Event &call, bool shown);
  void end(uint32_t thread, const Span &span);
  void tellOf(WaitEnd &over, std::optional<int32_t> result);
  void called(uint32_t thread, WaitFrame &frame, const atf::EventDetail &detail);
  /// The call's effects on return; `result` is nothing if not known.
  void returned(uint32_t thread, const WaitFrame &frame, std::optional<int32_t> result);
  void opened(uint32_t thread, const WaitFrame &frame, int32_t result);
  void account(uint32_t thread, uint64_t ns);
  const Known &functionOf(uint32_t function);

  uint32_t objectAt(uint32_t process, WaitKind kind, uint64_t value);
  uint32_t descriptor(uint32_t process, WaitKind kind, uint64_t fd, bool isWrite);
  uint32_t newDescriptor(uint32_t process, WaitKind kind, uint64_t fd, uint32_t place);
  void newPair(uint32_t process, WaitKind kind, uint64_t first, uint64_t second, uint32_t place);
  uint32_t newObject(WaitObject object);
  void forget(uint32_t object);
  void own(uint32_t object, uint32_t thread, bool isShared);
  void giveAway(uint32_t object, uint32_t thread);
  void disown(uint32_t object, uint32_t thread);
  void wake(uint32_t object, uint32_t thread, uint64_t value, bool isWrite);
  const Wake *wakeOf(const WaitFrame &frame, uint32_t thread, uint64_t untilNs) const;
  uint32_t joinedBy(uint32_t thread, uint64_t handle) const;
  uint32_t endedLast(uint32_t joiner, uint64_t sinceNs) const;
  void findChild(WaitEnd &over, std::optional<int32_t> result) const;
  const ProcessList &processes() const;
  uint32_t processOf(uint32_t thread) const { return table_.threads[thread].process; }

  TraceTable &table_;
  FilterOptions filter_;
  WaitListener &listener_;
  FilterOptions callFilter_; // for callers
  FunctionRules rules_;
  ValueTexts values_;
  std::vector<ThreadState> threads_;
  std::vector<std::unique_ptr<Reader>> readers_; // of threads between their first event and their last
  std::vector<std::optional<Known>> functions_;

  std::deque<WaitObject> objects_;
  std::vector<uint32_t> free_;
  std::map<std::tuple<uint32_t, Space, uint64_t>, uint32_t> byValue_;
  std::unordered_map<uint32_t, Wakes> wakes_;                     // by object
  std::unordered_map<uint32_t, std::vector<uint32_t>> watchedBy_; // by object: the epolls that watch it
  mutable std::optional<ProcessList> processes_;                  // on first use
  std::vector<std::deque<uint32_t>> unreadPipes_; // by process: makers of pipes whose descriptors are not known

  // The current event.
  const model::Event *event_ = nullptr;
  const model::Batch *batch_ = nullptr;
  uint64_t nowNs_ = 0, seq_ = 0;
  bool hasWaitFunctions_ = false, hasArguments_ = false;
};

} // namespace ada::analysis
