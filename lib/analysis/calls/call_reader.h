// The loop from one thread's events to its calls.
//
// Three stages are optional and cost nothing where they are absent: which calls a filter shows, arguments and results,
// and the time that the recorder took. Off-CPU times and parts of threads are in part_reader.h.
#pragma once

#include "call_filter.h"
#include "recorder_times.h"
#include "shared/assert.h"
#include "value_texts.h"

#include <string>
#include <type_traits>
#include <utility>

namespace ada::analysis {

/// The stages that a CallReader may have.
enum CallStages : unsigned { kCallsOnly = 0, kFiltered = 1, kWithValues = 2, kWithRecorder = 4, kAllStages = 7 };

/// Reports every call, shown or not, to a consumer, in the order of the events:
///
///   void begin(uint64_t seq, const model::Event &call, bool shown, std::string &&arguments);
///   void end(const Span &span, bool shown, std::string &&result);
///
/// A consumer may leave out end(), and without kWithValues begin(). Without kFiltered and kWithValues, they are
///
///   void begin(uint64_t seq, const model::Event &call);
///   void end(const Span &span);
///
/// Each begin gets an end, the innermost first; `shown` may have become false by then (CallFilter::leave). Arguments
/// and results are empty without `values`. After follow(), a consumer that has heldUp() also gets each time that the
/// recorder held the innermost open call up:
///
///   void heldUp(uint64_t fromNs, uint64_t toNs);
///
/// Span::functionIndex and functionId are both the function's number in the trace; without kFiltered, the consumer's
/// own number of it if that has
///
///   uint32_t numberOf(uint32_t function);
///
/// With `values`, begin() comes late: after all values of the call.
template <class Consumer, unsigned kStages = kAllStages> class CallReader {
  static constexpr bool kFilters = (kStages & kFiltered) != 0, kReadsValues = (kStages & kWithValues) != 0,
                        kTellsMore = kFilters || kReadsValues;

public:
  /// With kFiltered or kWithValues.
  CallReader(Consumer &consumer, FunctionRules &rules, ValueTexts *values)
      : consumer_(consumer), filter_(rules), values_{values} {}
  CallReader(Consumer &consumer, FunctionRules &rules)
    requires(!kReadsValues)
      : consumer_(consumer), filter_(rules) {}
  explicit CallReader(Consumer &consumer)
    requires(!kTellsMore)
      : consumer_(consumer) {}
  /// Call this before the first event: time that the recorder took from the thread then counts as no call's own time
  /// (Span::recorderNs).
  void follow(RecorderTimes times) { recorder_ = times; }
  /// Call this before the first event: a call is open there, inside those that were opened so far. Only what follows
  /// counts as time of its children. `function` is the consumer's number.
  void open(uint64_t beginNs, uint32_t function, uint64_t beginSeq) {
    walker_.openEarlier(beginNs, function, 0, beginSeq);
  }

  void take(const model::Batch &batch) {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events)
      take(seq++, event, batch);
  }
  /// Returns what the event did; `finished` is valid until the next event.
  CallStackWalker::Step take(uint64_t seq, const model::Event &event, const model::Batch &batch) {
    if constexpr (kReadsValues)
      if (values_.texts && event.kind == EventKind::Value && values_.isPending) {
        addValue(values_.arguments, batch.texts[event.extra]);
        return {.depth = walker_.depth()};
      }
    if (isText(event.kind))
      return {.depth = walker_.depth()};
    settle();
    if constexpr (kStages & kWithRecorder)
      if (recorder_.isDue(event.timeNs) && !event.isEarlier)
        holdUp(event.timeNs);
    CallStackWalker::Step step;
    if (event.isEarlier) {
      step.depth = walker_.depth();
      openEarlier(event, batch);
    } else {
      step = walker_.feedNumbered(seq, event.timeNs, numberOf(event.function), event.kind);
    }
    ADA_ASSERT(step.depth <= walker_.depth());
    if (event.kind == EventKind::Call)
      began(seq, event, batch);
    else
      for (const Span &span : step.finished)
        ended(span, &span == &step.finished.back(), event, batch);
    return step;
  }

  /// Reports when the recorder held the thread up before an event at `ns`; take() does this, too.
  void holdUpUntil(uint64_t ns) {
    if constexpr (kStages & kWithRecorder)
      if (recorder_.isDue(ns))
        holdUp(ns);
  }

  /// Call this after the last event.
  void finish() {
    settle();
    for (const Span &span : walker_.finish())
      tellEnd(span, std::move(none_));
  }

  /// See CallStackWalker::shrink().
  void shrink() { walker_.shrink(); }

  /// Ends the innermost open calls at once, so that `count` are left.
  void endInner(size_t count) {
    while (walker_.depth() > count) {
      const Span &call = walker_.open().back();
      for (const Span &span : walker_.feedNumbered(0, call.beginNs, call.functionIndex, EventKind::Return).finished)
        tellEnd(span, std::move(none_));
    }
  }

  /// A call was taken whose begin() is waiting for its values.
  bool isPending() const { return values_.isPending; }
  /// Ends that wait: the next event is not a value of the call.
  void settle() {
    if constexpr (kReadsValues)
      if (std::exchange(values_.isPending, false))
        consumer_.begin(values_.seq, values_.call, filter_.isShown(), std::move(values_.arguments));
  }

  const CallFilter &filter() const { return filter_; }
  /// See CallFilter::closeFrom().
  void hideFrom(size_t depth) { filter_.closeFrom(depth); }
  const CallStackWalker &walker() const { return walker_; }

private:
  struct Nothing {};
  struct Values {
    ValueTexts *texts = nullptr;
    bool isPending = false;
    model::Event call = {};
    uint64_t seq = 0;
    std::string arguments = {};
  };

  void began(uint64_t seq, const model::Event &event, const model::Batch &batch) {
    if constexpr (kTellsMore) {
      bool shown = true;
      if constexpr (kFilters)
        shown = filter_.enter(event.function, event.timeNs);
      if constexpr (kReadsValues)
        if (values_.texts) {
          values_.isPending = true;
          values_.call = event;
          values_.seq = seq;
          values_.arguments = shown ? values_.texts->arguments(event, batch) : std::string();
          return;
        }
      if constexpr (requires { consumer_.begin(seq, event, shown, std::move(none_)); })
        consumer_.begin(seq, event, shown, std::move(none_));
    } else if constexpr (requires { consumer_.begin(seq, event); }) {
      consumer_.begin(seq, event);
    }
  }
  void ended(const Span &span, bool isLast, const model::Event &event, const model::Batch &batch) {
    if constexpr (kReadsValues)
      if (values_.texts && isLast)
        return tellEnd(span, values_.texts->result(event, batch));
    tellEnd(span, std::move(none_));
  }
  void tellEnd(const Span &span, std::string &&result) {
    if constexpr (kTellsMore) {
      bool shown = true;
      if constexpr (kFilters)
        shown = filter_.leave(span);
      if constexpr (requires { consumer_.end(span, shown, std::move(result)); })
        consumer_.end(span, shown, std::move(result));
    } else if constexpr (requires { consumer_.end(span); }) {
      consumer_.end(span);
    }
  }
  [[gnu::noinline]] void holdUp(uint64_t untilNs) {
    constexpr bool isTold = requires { consumer_.heldUp(untilNs, untilNs); };
    recorder_.takeUntil(untilNs, [this](uint64_t fromNs, uint64_t toNs) {
      walker_.holdUp(toNs - fromNs);
      if constexpr (isTold)
        if (walker_.depth() > 0)
          consumer_.heldUp(fromNs, toNs);
    });
  }
  [[gnu::noinline]] void openEarlier(const model::Event &call, const model::Batch &batch) {
    if (walker_.depth() == 0)
      walker_.openUnknown(batch.unknownCalls);
    walker_.openEarlier(call.timeNs, numberOf(call.function), batch.keptFromNs);
  }
  uint32_t numberOf(uint32_t function) {
    if constexpr (requires { consumer_.numberOf(function); })
      return consumer_.numberOf(function);
    else
      return function;
  }

  Consumer &consumer_;
  [[no_unique_address]] std::conditional_t<kFilters, CallFilter, Nothing> filter_;
  [[no_unique_address]] std::conditional_t<kReadsValues, Values, Nothing> values_;
  CallStackWalker walker_;
  [[no_unique_address]] std::conditional_t<(kStages & kWithRecorder) != 0, RecorderTimes, Nothing> recorder_;
  std::string none_; // the text of calls without arguments or result; stays empty
};

} // namespace ada::analysis
