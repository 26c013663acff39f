// Passes on the calls of a trace that took long enough.
#include "duration_sink.h"

#include "call_reader.h"
#include "trace/base/try.h"

namespace ada::analysis {

using model::Event;
using model::Kind;

struct DurationSink::ThreadState {
  CallReader<ThreadState, kCallsOnly> calls{*this};
  std::vector<size_t> keptBefore; // by open call: number of events held back before it
  size_t decided = 0;             // number of open calls passed on; the calls inside them have not been
  KeptEvents kept;
};

DurationSink::DurationSink(uint64_t minDurationNs, model::TraceSink &sink)
    : PassingSink(sink), minDurationNs_(minDurationNs) {}
DurationSink::~DurationSink() = default;

Expected<void> DurationSink::addThread(const model::Thread &thread) {
  threads_.emplace_back();
  return sink_.addThread(thread);
}

DurationSink::ThreadState &DurationSink::stateOf(uint32_t thread) {
  if (!threads_[thread])
    threads_[thread] = std::make_unique<ThreadState>();
  return *threads_[thread];
}

Expected<void> DurationSink::emit(const model::Batch &batch) {
  if (chosen_.empty())
    return {};
  auto done = sink_.events({chosen_, batch.texts, batch.details, 0, batch.keptFromNs, batch.unknownCalls, numbers_});
  chosen_.clear();
  numbers_.clear();
  return done;
}

// Passes on the calls that have lasted long enough at this time.
Expected<void> DurationSink::decide(ThreadState &thread, uint64_t timeNs, const model::Batch &batch) {
  const std::span<const Span> open = thread.calls.walker().open();
  const size_t before = thread.decided;
  while (thread.decided < open.size() && timeNs >= open[thread.decided].beginNs &&
         timeNs - open[thread.decided].beginNs >= minDurationNs_)
    ++thread.decided;
  if (thread.decided == before)
    return {};
  const size_t count = thread.decided < open.size() ? thread.keptBefore[thread.decided] : thread.kept.size();
  ADA_TRY(emit(batch));
  for (size_t i = thread.decided; i < thread.keptBefore.size(); ++i)
    thread.keptBefore[i] -= count;
  return thread.kept.release(count, sink_, [](Event &) { return Expected<void>(); });
}

// True if the call that the event ends has been passed on.
bool DurationSink::exit(ThreadState &thread, const Event &event, const model::Batch &batch) {
  const auto step = thread.calls.take(0, event, batch);
  if (step.stray)
    return true;
  bool isShown = true;
  for (size_t i = 0; i < step.finished.size(); ++i) {
    const size_t depth = thread.keptBefore.size() - 1;
    isShown = depth < thread.decided;
    if (isShown) {
      thread.decided = depth;
    } else {
      ++leftOut_;
      // Marks are not calls, so they stay.
      thread.kept.cut(thread.keptBefore.back(),
                      [](const Event &kept) { return kept.kind != Kind::Call && kept.kind != Kind::Value; });
    }
    thread.keptBefore.pop_back();
  }
  return isShown;
}

Expected<void> DurationSink::take(ThreadState &thread, const model::Batch &batch, size_t index) {
  const Event &event = batch.events[index];
  ADA_TRY(decide(thread, event.timeNs, batch));
  bool isShown = true;
  if (event.kind == Kind::Call) {
    thread.keptBefore.push_back(thread.kept.size());
    thread.calls.take(0, event, batch);
    // With a minimum of 0, calls that take no time count as well.
    if (minDurationNs_ == 0)
      ++thread.decided;
  } else if (isExit(event.kind)) {
    isShown = exit(thread, event, batch);
  }
  if (!isShown)
    return {};
  if (thread.decided < thread.keptBefore.size() || !thread.kept.empty()) {
    thread.kept.keep(event, batch, index);
    if (thread.decided < thread.keptBefore.size())
      return {};
    // Marks from calls that were left out, and the events after them.
    ADA_TRY(emit(batch));
    return thread.kept.release(thread.kept.size(), sink_, [](Event &) { return Expected<void>(); });
  }
  chosen_.push_back(event);
  if (!batch.numbers.empty())
    numbers_.push_back(batch.numbers[index]);
  return {};
}

Expected<void> DurationSink::events(const model::Batch &batch) {
  for (size_t i = 0; i < batch.events.size(); ++i)
    ADA_TRY(take(stateOf(batch.events[i].thread), batch, i));
  return emit(batch);
}

// The calls still held back did not last long enough.
Expected<void> DurationSink::end(ThreadState &thread) {
  leftOut_ += thread.keptBefore.size() - thread.decided;
  thread.kept.cut(0, [](const Event &kept) { return kept.kind != Kind::Call && kept.kind != Kind::Value; });
  return thread.kept.release(thread.kept.size(), sink_, [](Event &) { return Expected<void>(); });
}

Expected<void> DurationSink::endThread(uint32_t index) {
  if (threads_[index]) {
    ADA_TRY(end(*threads_[index]));
    threads_[index].reset();
  }
  return sink_.endThread(index);
}

Expected<void> DurationSink::finish() {
  for (const auto &thread : threads_)
    if (thread)
      ADA_TRY(end(*thread));
  return sink_.finish();
}

} // namespace ada::analysis
