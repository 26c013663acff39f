// Makes calls from events: which exit belongs to which call, how deep, how long, how it ended.
//
// Traces are not always balanced: a program is killed, recording starts in the
// middle, events are lost. The walker never fails; it repairs by fixed rules and counts the repairs:
//   - an exit of the innermost call closes it;
//   - an exit of an outer call closes that call, and before it all calls inside,
//     whose exits are missing (SpanEnd::Missing), at the time of that exit;
//   - an exit of a function that has no open call is stray and changes nothing;
//   - calls that are open at the end stay so (SpanEnd::Open), up to the time of the last event.
#ifndef ADA_TRACE_CALLS_H
#define ADA_TRACE_CALLS_H

#include "ada/trace/event.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ada {

/// How a call ended.
enum class SpanEnd : uint8_t {
  Return,
  Exception, ///< unwinding, longjmp, end of the thread: a hook saw it
  Missing,   ///< no exit was recorded, but it is over: how it was left is not known
  Open,      ///< not ended when the trace did
  Inferred,  ///< no hook saw how it was left; a later event proves that it is over
};

/// "return", "exception", "missing", "open", "inferred".
constexpr std::string_view spanEndName(SpanEnd end) {
  switch (end) {
  case SpanEnd::Return:
    return "return";
  case SpanEnd::Exception:
    return "exception";
  case SpanEnd::Missing:
    return "missing";
  case SpanEnd::Inferred:
    return "inferred";
  case SpanEnd::Open:
    break;
  }
  return "open";
}

inline constexpr SpanEnd kSpanEnds[] = {SpanEnd::Return, SpanEnd::Exception, SpanEnd::Missing, SpanEnd::Open,
                                        SpanEnd::Inferred};

/// Whether it is known when and how the call ended.
constexpr bool isSeen(SpanEnd end) { return end == SpanEnd::Return || end == SpanEnd::Exception; }

/// One call from entry to exit.
struct Span {
  uint64_t functionId = 0;
  uint64_t beginNs = 0, endNs = 0; ///< endNs is never less than beginNs
  uint64_t childrenNs = 0;         ///< time in the calls it made itself; at most the duration
  uint64_t recorderNs = 0;         ///< outside of those, how long the recorder held it up: holdUp()
  uint64_t beginSeq = 0;           ///< event that opened it
  uint64_t endSeq = 0;             ///< event that closed it; for Open, the number of events
  uint64_t calls = 0;              ///< calls it made itself
  uint32_t depth = 0;              ///< 0 is the outermost
  uint32_t functionIndex = 0;      ///< see CallStackWalker::functions()
  SpanEnd how = SpanEnd::Open;
  bool outermost = true;  ///< no other call of the same function is open around it
  bool isEarlier = false; ///< began before the events did: see CallStackWalker::openEarlier()

  static constexpr uint64_t kNoSeq = ~uint64_t{0};

  uint64_t durationNs() const { return endNs - beginNs; }
  uint64_t selfNs() const { return durationNs() - childrenNs - recorderNs; }
};

/// Numbers function ids from 0 in order of first sight, for tables that are
/// indexed by function.
class FunctionIndex {
public:
  /// The id's number; given now if it is new.
  uint32_t add(uint64_t functionId);
  /// The id's number, or kNone if it was never added.
  uint32_t find(uint64_t functionId) const noexcept;
  static constexpr uint32_t kNone = ~uint32_t{0};
  /// All ids, by number.
  std::span<const uint64_t> ids() const noexcept { return known_; }

private:
  size_t slotOf(uint64_t functionId) const noexcept;
  void grow();
  std::vector<uint64_t> known_;
  std::vector<uint32_t> slots_; // open addressing; kNone is free
};

/// How many calls of each function are open in a thread. A trace of many processes has many more functions than one of
/// its threads calls, so this is a hash table of the functions that were called.
class OpenCallCounts {
public:
  /// The number of open calls of the function, to be changed.
  uint32_t &of(uint32_t function) {
    for (size_t slot = slotOf(function);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot].function == function)
        return slots_[slot].open;
      if (slots_[slot].function == kFree)
        return add(function);
    }
  }

private:
  struct Slot {
    uint32_t function = kFree, open = 0;
  };
  static constexpr uint32_t kFree = ~uint32_t{0}; // which is FunctionIndex::kNone, not a function
  size_t slotOf(uint32_t function) const { return static_cast<size_t>(function * 0x9e3779b97f4a7c15u >> shift_); }
  uint32_t &add(uint32_t function);

  std::vector<Slot> slots_ = std::vector<Slot>(2); // open addressing; at most half of them are in use
  size_t used_ = 0;
  unsigned shift_ = 63; // leaves the bits that number the slots
};

/// Takes one thread's events in order and hands out finished calls.
/// Memory: the open calls, and some 20 bytes for each function that the thread has called.
///
///   CallStackWalker walker;
///   for (const auto &[seq, timeNs, function, kind] : events)
///     for (const Span &span : walker.feed(seq, timeNs, function, kind).finished)
///       use(span);
///   for (const Span &span : walker.finish())
///     use(span);
class CallStackWalker {
public:
  /// What one event did.
  struct Step {
    /// Depth of the call that the event opens or closes; for stray exits and
    /// unknown kinds, the number of open calls.
    uint32_t depth = 0;
    /// The exit of a function that has no open call.
    bool stray = false;
    /// Calls that ended with this event, innermost first; the last one is the
    /// event's own. Valid until the next call of the walker.
    std::span<const Span> finished = {};
  };

  Step feed(uint64_t seq, uint64_t timestampNs, uint64_t functionId, EventKind kind);
  /// The same for functions that already have small numbers, like those of model.h: Span::functionIndex and functionId
  /// are the number, and nothing has to be looked up. Use only one of the two functions with a walker.
  Step feedNumbered(uint64_t seq, uint64_t timestampNs, uint32_t function, EventKind kind) {
    return step(seq, timestampNs, function, function, kind);
  }

  /// Adds a call that was open before the first event, which came at `firstNs`; add outermost calls first.
  /// Its duration is complete, and its self time counts from `firstNs`: all its time before is in childrenNs. Continue
  /// with feedNumbered().
  /// `firstNs` 0: the caller knows what was before, and childrenNs only has what follows.
  void openEarlier(uint64_t beginNs, uint32_t function, uint64_t firstNs, uint64_t beginSeq = Span::kNoSeq);
  /// That many calls around them are not known: the same number of exits without a call are not strays.
  void openUnknown(uint64_t calls) noexcept { unknownOpen_ += calls; }

  /// Before the next event, the recorder held the thread up for that long,
  /// which is not self time of the innermost call.
  void holdUp(uint64_t ns) noexcept {
    if (depth_ > 0)
      stack_[depth_ - 1].recorderNs += ns;
  }

  /// The calls that are still open, innermost first, as SpanEnd::Open up to the
  /// latest time seen. The walker is empty afterwards and may be fed again;
  /// counters stay.
  std::span<const Span> finish();

  /// Gives back memory that only further calls would need, for walkers of which there are many: ten thousand threads
  /// that ended within calls, say.
  void shrink();

  /// The open calls, outermost first. `endNs`, `how` are not set yet.
  std::span<const Span> open() const noexcept { return {stack_.data(), depth_}; }
  uint32_t depth() const noexcept { return depth_; }

  /// Numbers the functions seen; Span::functionIndex points into it.
  const FunctionIndex &functions() const noexcept { return index_; }

  uint64_t strayExits() const noexcept { return strays_; }
  uint64_t missingExits() const noexcept { return missing_; }
  uint64_t unknownKinds() const noexcept { return unknown_; }
  uint32_t maxDepth() const noexcept { return deepest_; }

private:
  // Nearly all events are calls, and exits of the innermost call: these are handled without a function call.
  Step step(uint64_t seq, uint64_t timestampNs, uint64_t functionId, uint32_t number, EventKind kind) {
    latestNs_ = timestampNs > latestNs_ ? timestampNs : latestNs_;
    nextSeq_ = seq + 1;
    if (kind == EventKind::Call) {
      if (depth_ == stack_.size())
        stack_.emplace_back();
      if (depth_ > 0)
        ++stack_[depth_ - 1].calls;
      Span &span = stack_[depth_]; // field by field: a copy made of small stores would wait for them
      span.functionId = functionId;
      span.beginNs = timestampNs;
      span.childrenNs = span.recorderNs = 0;
      span.beginSeq = seq;
      span.calls = 0;
      span.depth = depth_;
      span.isEarlier = false;
      span.functionIndex = number;
      span.outermost = openCalls_.of(number)++ == 0;
      ++depth_;
      deepest_ = depth_ > deepest_ ? depth_ : deepest_;
      return {.depth = depth_ - 1};
    }
    if (!isExit(kind)) {
      ++unknown_;
      return {.depth = depth_};
    }
    const SpanEnd how = kind == EventKind::Return      ? SpanEnd::Return
                        : kind == EventKind::Exception ? SpanEnd::Exception
                        : kind == EventKind::Inferred  ? SpanEnd::Inferred
                                                       : SpanEnd::Missing;
    if (depth_ == 0 || stack_[depth_ - 1].functionId != functionId)
      return repair(seq, timestampNs, functionId, number, how);
    return {.depth = depth_ - 1, .finished = {&close(timestampNs, seq, how), 1}};
  }
  // Closes the innermost call. The result stays where it is until the next call begins.
  const Span &close(uint64_t endNs, uint64_t endSeq, SpanEnd how) {
    Span &span = stack_[--depth_];
    --openCalls_.of(span.functionIndex);
    span.endNs = endNs > span.beginNs ? endNs : span.beginNs; // time may go back in bad traces
    span.endSeq = endSeq;
    const uint64_t duration = span.durationNs();
    span.childrenNs = span.childrenNs < duration ? span.childrenNs : duration;
    const uint64_t own = duration - span.childrenNs;
    span.recorderNs = span.recorderNs < own ? span.recorderNs : own;
    span.how = how;
    if (depth_ > 0)
      stack_[depth_ - 1].childrenNs += duration;
    return span;
  }
  Step repair(uint64_t seq, uint64_t timestampNs, uint64_t functionId, uint32_t number, SpanEnd how);

  std::vector<Span> stack_; // the open calls are the first depth_
  std::vector<Span> ended_; // the calls that one event ended, if several
  FunctionIndex index_;
  OpenCallCounts openCalls_; // by function index
  uint64_t latestNs_ = 0, nextSeq_ = 0;
  uint64_t strays_ = 0, missing_ = 0, unknown_ = 0, unknownOpen_ = 0;
  uint32_t depth_ = 0, deepest_ = 0;
};

} // namespace ada

#endif // ADA_TRACE_CALLS_H
