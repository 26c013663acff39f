// Turns one thread's events into calls, and finds which of them a filter shows.
#pragma once

#include "analysis/values/value_texts.h"
#include "analysis/waits/recorder_times.h"
#include "call_filter.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ada::analysis {

/// Reports every call, shown or not, to a consumer, in the order of the events:
///
///   void begin(uint64_t seq, const model::Event &call, bool shown, std::string &&arguments);
///   void end(const Span &span, bool shown, std::string &&result);
///
/// Each begin gets an end, the innermost first; `shown` may have become false by then (CallFilter::leave). Arguments
/// and results are empty without `values`. After follow(), a consumer that has heldUp() also gets each time that the
/// recorder held the innermost open call up:
///
///   void heldUp(uint64_t fromNs, uint64_t toNs);
///
/// Span::functionIndex and functionId are both the function's number in the trace. With `values`, begin() comes late:
/// after all values of the call.
template <class Consumer> class ThreadCalls {
public:
  ThreadCalls(Consumer &consumer, FunctionRules &rules, ValueTexts *values)
      : consumer_(consumer), filter_(rules), values_(values) {}
  /// Call this before the first event: time that the recorder took from the thread then counts as no call's own time
  /// (Span::recorderNs).
  void follow(RecorderTimes times) { recorder_ = times; }

  void take(const model::Batch &batch) {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events)
      take(seq++, event, batch);
  }
  void take(uint64_t seq, const model::Event &event, const model::Batch &batch) {
    if (values_ && event.kind == model::Kind::Value && isPending_)
      return addValue(arguments_, batch.texts[event.extra]);
    if (event.kind > model::Kind::Other)
      return;
    settle();
    if (recorder_.isDue(event.timeNs) && !event.isEarlier)
      holdUp(event.timeNs);
    const auto kind = event.eventKind();
    CallStackWalker::Step step;
    if (event.isEarlier)
      openEarlier(event, batch);
    else
      step = walker_.feedNumbered(seq, event.timeNs, event.function, kind);
    if (event.kind == model::Kind::Call) {
      const bool shown = filter_.enter(event.function, event.timeNs);
      if (!values_) {
        consumer_.begin(seq, event, shown, std::move(none_));
      } else {
        isPending_ = true;
        pending_ = event;
        pendingSeq_ = seq;
        arguments_ = shown ? values_->arguments(event, batch) : std::string();
      }
      return;
    }
    for (const Span &span : step.finished)
      if (values_ && &span == &step.finished.back())
        consumer_.end(span, filter_.leave(span), values_->result(event, batch));
      else
        consumer_.end(span, filter_.leave(span), std::move(none_));
  }

  /// Call this after the last event.
  void finish() {
    settle();
    for (const Span &span : walker_.finish())
      consumer_.end(span, filter_.leave(span), std::move(none_));
  }

  /// A call was taken whose begin() is waiting for its values.
  bool isPending() const { return isPending_; }
  /// Ends that wait: the next event is not a value of the call.
  void settle() {
    if (std::exchange(isPending_, false))
      consumer_.begin(pendingSeq_, pending_, filter_.isShown(), std::move(arguments_));
  }

  const CallFilter &filter() const { return filter_; }
  /// See CallFilter::closeFrom().
  void hideFrom(size_t depth) { filter_.closeFrom(depth); }
  const CallStackWalker &walker() const { return walker_; }

private:
  [[gnu::noinline]] void holdUp(uint64_t untilNs) {
    constexpr bool isTold = requires(Consumer &consumer) { consumer.heldUp(untilNs, untilNs); };
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
    walker_.openEarlier(call.timeNs, call.function, batch.keptFromNs);
  }
  Consumer &consumer_;
  CallFilter filter_;
  ValueTexts *values_;
  CallStackWalker walker_;
  RecorderTimes recorder_;
  bool isPending_ = false;
  model::Event pending_;
  uint64_t pendingSeq_ = 0;
  std::string arguments_;
  std::string none_; // passed where there is no text
};

} // namespace ada::analysis
