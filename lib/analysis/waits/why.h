// Where the time of one call went: its own code, what it called, and the threads it waited for.
//
// At every moment of the call its thread ran, was preempted, or waited for something. If another thread held that (or
// was to wake this one), the same question is asked about that thread at the same moment, and so on. So all parts of a
// call, and all parts of a wait, add up to its time exactly.
#pragma once

#include "waits.h"

#include <memory>
#include <vector>

namespace ada::analysis {

enum class PartKind : uint8_t {
  Own,       ///< the call's own code; for another thread, the code that it was in
  Callee,    ///< the code of a function that it called
  Preempted, ///< ready to run, but off-CPU
  Waiting,   ///< for an object
  Unknown,   ///< the scheduling records of this time were lost
  Recorder,  ///< the recorder held it up
};

/// A part of the time of a call, or of a thread while another one waited for it.
struct WhyPart {
  PartKind kind = PartKind::Own;
  uint32_t function = kNobody, library = kNobody; ///< where; for a wait: the caller and what it called
  WaitedFor object;                               ///< Waiting
  uint64_t ns = 0;
  uint64_t inNs = 0; ///< a moment in the longest stretch of it
  struct Holder;
  std::vector<Holder> holders; ///< Waiting: the threads that held it; the rest of `ns` had no holder, or no known one
};

struct WhyPart::Holder {
  uint32_t thread = kNobody;
  uint64_t ns = 0, inNs = 0;
  bool isInferred = false;    ///< a child process: that its end was waited for is inferred from the times
  bool isCycle = false;       ///< it waits for a thread further out: a deadlock, or it was woken in another way
  std::vector<WhyPart> parts; ///< the longest first
};

/// One time in which the call's own thread waited.
struct WhyWait {
  uint64_t fromNs = 0, toNs = 0;
  WaitKind kind = WaitKind::Own;
  uint32_t thread = kNobody; ///< that held the object, woke the waiting thread, or was joined; kNobody if not known
  uint64_t wokenNs = 0;      ///< when `thread` woke it, or ended; 0 for locks: the thread had it all the time
  /// The depth of the call in which `thread` took the lock, which is open at `fromNs`; kNobody if it is not known.
  uint32_t takerDepth = kNobody;
};

struct Why {
  uint32_t thread = 0, function = kNobody;
  uint64_t seq = 0, beginNs = 0, endNs = 0;
  SpanEnd how = SpanEnd::Return;
  std::vector<WhyPart> parts; ///< the longest first
  std::vector<WhyWait> waits; ///< the longest kMaxWaits, by time
  bool hasSched = false;      ///< it is known when the thread was on-CPU
};

/// The longest call of the given threads among those that `filter` shows; a call that never ended lasts until the trace
/// ends. Nothing if there is none.
Expected<std::optional<Span>> longestCall(const Trace &trace, const FilterOptions &filter, uint32_t &thread);
/// The call that event number `seq` of the thread begins. Nothing if it does not begin a call.
Expected<std::optional<Span>> callAt(model::TraceSource &source, TraceTable &table, uint32_t thread, uint64_t seq);

constexpr size_t kMaxWaits = 200;
/// Reads all threads up to the call's end, and what lies in the call twice: the first time to find which threads wake
/// which. What comes before the call is not read if the trace can be entered there and names no function that waits or
/// acts on what others wait for. Memory: additionally 32 bytes for each wait that another thread ended during the call.
Expected<Why> explainCall(model::TraceSource &source, TraceTable &table, uint32_t thread, const Span &call);

} // namespace ada::analysis
