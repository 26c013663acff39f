// Passes on the calls of a trace that took long enough.
#pragma once

#include "ada/trace/calls.h"
#include "analysis/events/kept_events.h"
#include "trace/passing_sink.h"
#include "trace/statistics.h"

#include <memory>
#include <vector>

namespace ada::analysis {

/// A call is passed on as soon as it has lasted long enough, and dropped if it ends before. The calls that it made took
/// less time than it did, so only the open calls (with the marks among them) are held back. Threads whose events are
/// mixed are delayed against each other by the same time.
class DurationSink : public model::PassingSink {
public:
  DurationSink(uint64_t minDurationNs, model::TraceSink &sink);
  ~DurationSink() override;

  Expected<void> addThread(const model::Thread &thread) override;
  Expected<void> events(const model::Batch &batch) override;
  Expected<void> endThread(uint32_t thread) override;
  Expected<void> finish() override;

  /// Number of calls left out.
  uint64_t leftOut() const { return leftOut_; }

private:
  struct ThreadState;
  ThreadState &stateOf(uint32_t thread);
  Expected<void> take(ThreadState &thread, const model::Batch &batch, size_t index);
  Expected<void> decide(ThreadState &thread, uint64_t timeNs, const model::Batch &batch);
  bool exit(ThreadState &thread, const model::Event &event, const model::Batch &batch);
  Expected<void> emit(const model::Batch &batch);
  Expected<void> end(ThreadState &thread);

  uint64_t minDurationNs_;
  uint64_t leftOut_ = 0;
  std::vector<std::unique_ptr<ThreadState>> threads_;
  std::vector<model::Event> chosen_; // of the current batch
  std::vector<uint64_t> numbers_;    // of these events, if the sink wants them
};

} // namespace ada::analysis
