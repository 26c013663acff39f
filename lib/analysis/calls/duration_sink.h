// Passes on the calls of a trace that took long enough.
#pragma once

#include "ada/trace/calls.h"
#include "analysis/events/kept_events.h"
#include "trace/statistics.h"

#include <memory>
#include <vector>

namespace ada::analysis {

/// A call is passed on as soon as it has lasted long enough, and dropped if it ends before. The calls that it made took
/// less time than it did, so only the open calls (with the marks among them) are held back. Threads whose events are
/// mixed are delayed against each other by the same time.
class DurationSink : public model::TraceSink {
public:
  DurationSink(uint64_t minDurationNs, model::TraceSink &sink);
  ~DurationSink() override;

  Expected<void> begin(const model::TraceInfo &info) override { return sink_.begin(info); }
  Expected<void> addProcess(const model::Process &process) override { return sink_.addProcess(process); }
  Expected<void> addThread(const model::Thread &thread) override;
  Expected<void> addFunction(const model::Function &function) override { return sink_.addFunction(function); }
  Expected<void> events(const model::Batch &batch) override;
  Expected<void> endThread(uint32_t thread) override;
  Expected<void> finish() override;
  bool needsRange() const override { return sink_.needsRange(); }
  bool wantsDetails() const override { return sink_.wantsDetails(); }
  bool takesSymbols() const override { return sink_.takesSymbols(); }
  bool wantsUnused() const override { return sink_.wantsUnused(); }
  bool sharesFunctions() const override { return sink_.sharesFunctions(); }
  bool wantsNumbers() const override { return sink_.wantsNumbers(); }
  std::vector<model::Loss> losses() const override { return sink_.losses(); }

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
  model::TraceSink &sink_;
  uint64_t leftOut_ = 0;
  std::vector<std::unique_ptr<ThreadState>> threads_;
  std::vector<model::Event> chosen_; // of the current batch
  std::vector<uint64_t> numbers_;    // of these events, if the sink wants them
};

} // namespace ada::analysis
