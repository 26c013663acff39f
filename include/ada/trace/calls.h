// Calls out of events: which exit belongs to which call, how deep, how long,
// how it ended.
//
// Traces are not always balanced: a program is killed, recording starts in the
// middle, events are lost. The walker never fails; it repairs by rule and
// counts what it repaired:
//   - an exit of the innermost call closes it;
//   - an exit of a call further out closes it, and before it all calls inside,
//   whose exits
//     are missing (SpanEnd::Missing), at the time of that exit;
//   - an exit of a function that has no open call is stray and changes nothing;
//   - calls that are open at the end stay so (SpanEnd::Open), up to the last
//   event's time.
#ifndef ADA_TRACE_CALLS_H
#define ADA_TRACE_CALLS_H

#include "ada/trace/atf_index.h"
#include "ada/trace/event.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ada {

/// How a call ended.
enum class SpanEnd : std::uint8_t {
  Return,
  Exception, ///< unwinding, longjmp, end of the thread
  Missing,   ///< no exit was recorded, though one further out was
  Open,      ///< not ended when the trace did
};

/// "return", "exception", "missing", "open".
constexpr std::string_view spanEndName(SpanEnd end) {
  switch (end) {
  case SpanEnd::Return:
    return "return";
  case SpanEnd::Exception:
    return "exception";
  case SpanEnd::Missing:
    return "missing";
  case SpanEnd::Open:
    break;
  }
  return "open";
}

/// One call from entry to exit.
struct Span {
  std::uint64_t functionId = 0;
  std::uint64_t beginNs = 0, endNs = 0; ///< endNs is never less than beginNs
  std::uint64_t childrenNs =
      0; ///< time in the calls it made itself; at most the duration
  std::uint64_t beginSeq = 0; ///< event that opened it
  std::uint64_t endSeq =
      0; ///< event that closed it; for Open, the number of events
  std::uint64_t calls = 0;         ///< calls it made itself
  std::uint32_t depth = 0;         ///< 0 is the outermost
  std::uint32_t functionIndex = 0; ///< see CallStackWalker::functions()
  SpanEnd how = SpanEnd::Open;
  bool outermost =
      true; ///< no other call of the same function is open around it

  std::uint64_t durationNs() const { return endNs - beginNs; }
  std::uint64_t selfNs() const { return durationNs() - childrenNs; }
};

/// Numbers function ids from 0 in order of first sight, for tables that are
/// indexed by function.
class FunctionIndex {
public:
  /// The id's number; given now if it is new.
  std::uint32_t add(std::uint64_t functionId);
  /// The id's number, or kNone if it was never added.
  std::uint32_t find(std::uint64_t functionId) const noexcept;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// All ids, by number.
  std::span<const std::uint64_t> ids() const noexcept { return known; }

private:
  std::size_t slotOf(std::uint64_t functionId) const noexcept;
  void grow();
  std::vector<std::uint64_t> known;
  std::vector<std::uint32_t> slots; // open addressing; kNone is free
};

/// Feeds on one thread's events in order and hands out finished calls. Memory:
/// the open calls, and 12 bytes or so a function.
///
///   CallStackWalker walker;
///   reader.forEach([&](std::uint64_t seq, const atf::IndexEvent &event) {
///     auto step = walker.feed(seq, event.timestampNs, event.functionId,
///     event.kind); for (const Span &span : step.finished)
///       use(span);
///   });
///   for (const Span &span : walker.finish())
///     use(span);
class CallStackWalker {
public:
  /// What one event did.
  struct Step {
    /// Depth of the call that the event opens or closes; for stray exits and
    /// unknown kinds, the number of open calls.
    std::uint32_t depth = 0;
    /// The exit of a function that has no open call.
    bool stray = false;
    /// Calls that ended with this event, innermost first; the last one is the
    /// event's own. Valid until the next call of the walker.
    std::span<const Span> finished = {};
  };

  Step feed(std::uint64_t seq, std::uint64_t timestampNs,
            std::uint64_t functionId, EventKind kind);

  /// The calls that are still open, innermost first, as SpanEnd::Open up to the
  /// latest time seen. The walker is empty afterwards and may be fed anew;
  /// counters stay.
  std::span<const Span> finish();

  /// The open calls, outermost first. `endNs`, `how` are not set yet.
  std::span<const Span> open() const noexcept { return stack; }
  std::uint32_t depth() const noexcept {
    return static_cast<std::uint32_t>(stack.size());
  }

  /// Numbers the functions seen; Span::functionIndex points into it.
  const FunctionIndex &functions() const noexcept { return index; }

  std::uint64_t strayExits() const noexcept { return strays; }
  std::uint64_t missingExits() const noexcept { return missing; }
  std::uint64_t unknownKinds() const noexcept { return unknown; }
  std::uint32_t maxDepth() const noexcept { return deepest; }

private:
  void close(std::uint64_t endNs, std::uint64_t endSeq, SpanEnd how);

  std::vector<Span> stack, ended;
  FunctionIndex index;
  std::vector<std::uint32_t> openCalls; // by function index
  std::uint64_t latestNs = 0, nextSeq = 0;
  std::uint64_t strays = 0, missing = 0, unknown = 0;
  std::uint32_t deepest = 0;
};

/// Calls f(const Span &) for every call of a range of a thread's events, in the
/// order in which they end (a call comes after those it made). Returns the
/// walker, for its counters.
template <class F>
CallStackWalker forEachSpan(const atf::IndexReader &reader, atf::SeqRange range,
                            F &&f) {
  CallStackWalker walker;
  reader.forEach(range, [&](std::uint64_t seq, const atf::IndexEvent &event) {
    for (const Span &span :
         walker.feed(seq, event.timestampNs, event.functionId, event.kind)
             .finished)
      f(span);
  });
  for (const Span &span : walker.finish())
    f(span);
  return walker;
}
template <class F>
CallStackWalker forEachSpan(const atf::IndexReader &reader, F &&f) {
  return forEachSpan(reader, reader.all(), static_cast<F &&>(f));
}

} // namespace ada

#endif // ADA_TRACE_CALLS_H
