// What requests waited for, and how long they would have taken without that.
//
// An observer of the second reading of readWaits(): each wait is counted for the request that it was in. When a request
// ends, its duration without its waits for each object is known, so the percentiles without an object are computed from
// what happened, not estimated.
#pragma once

#include "analysis/waits/waits.h"
#include "session_profile.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ada::analysis {

/// All waits for one object.
struct ObjectWaits {
  WaitedFor object;
  uint64_t waits = 0, ns = 0;                ///< of requests
  uint64_t otherWaits = 0, otherNs = 0;      ///< outside of them
  std::map<uint32_t, uint64_t> otherThreads; ///< the threads of those: ns
  uint64_t requests = 0;                     ///< that waited for it
  uint64_t timeouts = 0;
  uint64_t loops = 0, loopNs = 0;           ///< calls of requests that waited for it kLeastLoop times or more
  uint64_t callNs = 0;                      ///< of all calls of requests that waited for it
  uint64_t uselessWakes = 0, uselessNs = 0; ///< woken, and waiting again at once; time on-CPU between
  std::map<uint32_t, uint64_t> callers;     ///< the program's functions that waited: ns
  /// By request function: what to add to the durations of its calls to get those without these waits.
  struct Without {
    uint64_t ns = 0;
    DurationBins change;
    uint64_t longestNs = 0, longestWaitedNs = 0; ///< the longest call that waited for it, and how long that waited
  };
  std::unordered_map<std::string, Without> without;
};

inline constexpr uint32_t kLeastLoop = 3;

/// A wait that lasts when the trace ends.
struct OpenWait {
  uint32_t thread = 0, caller = kNobody, request = kNobody; ///< functions
  WaitedFor object;
  uint64_t beginNs = 0, endNs = 0;
  std::vector<uint32_t> holders; ///< threads
};

class RequestWaits : public WaitObserver {
public:
  RequestWaits(const TraceTable &table, const SessionProfile &profile);

  void attach(const WaitState &state) override { state_ = &state; }
  void waitEnds(const WaitEnd &over) override;
  void innermostChanged(uint32_t thread, uint64_t ns) override {
    Thread &about = threads_[thread];
    if (about.request.depth != kNoRequest && state_->thread(thread).frames.size() <= about.request.depth)
      endRequest(about, ns);
    if (about.isAwake)
      noteWork(about, thread);
  }

  std::vector<ObjectWaits> objects; ///< in no particular order
  std::vector<OpenWait> open;

private:
  static constexpr uint32_t kNoRequest = ~uint32_t{0};
  struct InRequest {
    size_t object = 0;
    uint32_t waits = 0;
    uint64_t ns = 0, callNs = 0; ///< of the waits, and of the calls that waited
  };
  struct Request {
    uint32_t depth = kNoRequest, function = kNobody;
    uint64_t beginNs = 0;
    std::vector<InRequest> waits;
  };
  struct Thread {
    Request request;
    // The last wait for a condition, and what came after it:
    bool isAwake = false;
    uint32_t object = kNobody, depth = 0;
    uint64_t frameSeq = 0, wokenNs = 0;
  };
  using Key = std::tuple<uint32_t, WaitKind, bool, uint64_t, uint64_t, uint32_t, uint32_t, uint32_t>;

  bool isRequest(uint32_t function);
  /// The outermost frame that is a request; kNoRequest if there is none.
  uint32_t requestDepth(uint32_t thread);
  size_t objectOf(const WaitEnd &over);
  void endRequest(Thread &about, uint64_t ns);
  void noteWork(Thread &about, uint32_t thread);
  void noteCondition(const WaitEnd &over, ObjectWaits &object);

  const TraceTable &table_;
  const WaitState *state_ = nullptr;
  std::unordered_set<std::string> requestNames_;
  std::vector<int8_t> isRequest_; // by function; -1: not known yet
  std::vector<Thread> threads_;
  std::map<Key, size_t> byKey_;
};

} // namespace ada::analysis
