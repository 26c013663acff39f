// Passes on a part of a trace: whole calls of chosen threads and functions in a time range.
#pragma once

#include "call_filter.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ada::analysis {

/// A time on the trace's clock, or since its first event.
struct TimeBound {
  bool isAbsolute = false;
  uint64_t ns = 0;
  uint64_t onClock(uint64_t startNs) const {
    uint64_t time = ns;
    if (!isAbsolute && __builtin_add_overflow(startNs, ns, &time))
      time = ~uint64_t(0);
    return time;
  }
};

/// The wanted threads: by number; if no thread has that number, by the system's thread id; or by a glob for the
/// label, or for the name in the trace.
class ThreadChoice {
public:
  /// `all` is every thread of the trace.
  ThreadChoice(const std::vector<std::string> &texts, const std::vector<model::Thread> &all);
  bool wants(const model::Thread &thread) const;

private:
  struct Choice {
    std::string text;
    bool isNumber;
  };
  std::vector<Choice> choices_;
};

struct PartOptions {
  FilterOptions calls; ///< its time range is set from the two below
  std::vector<std::string> threads;
  std::optional<TimeBound> from, to;

  bool isEverything() const { return calls.showsAll() && threads.empty() && !from && !to; }
};

/// Announces to `sink` only what it passes on: not the threads and functions that are left out.
class PartSink : public TableSink {
public:
  PartSink(const PartOptions &options, model::TraceSink &sink);
  ~PartSink() override;

  Expected<void> begin(const model::TraceInfo &info) override;
  Expected<void> addProcess(const model::Process &process) override;
  Expected<void> addThread(const model::Thread &thread) override;
  Expected<void> addFunction(const model::Function &function) override;
  Expected<void> events(const model::Batch &batch) override;
  Expected<void> endThread(uint32_t thread) override;
  Expected<void> finish() override;
  bool needsRange() const override;
  bool wantsDetails() const override { return sink_.wantsDetails(); }
  /// What is left out was left out on purpose: it is not a loss.
  bool takesSymbols() const override { return true; }
  bool wantsUnused() const override { return sink_.wantsUnused(); }
  bool sharesFunctions() const override { return sink_.sharesFunctions(); }
  bool wantsNumbers() const override { return sink_.wantsNumbers(); }

  /// False if PartOptions::threads matched no thread. Valid after finish().
  bool anyThread() const;
  /// Every function of the trace. Valid after finish().
  const std::vector<model::Function> &functions() const { return table_.functions; }

private:
  struct ThreadState;
  Expected<void> decideAll();
  Expected<void> take(ThreadState &thread, const model::Batch &batch, size_t index);
  bool enter(ThreadState &thread, const model::Event &event);
  bool leave(ThreadState &thread, const model::Event &event);
  Expected<void> release(ThreadState &thread, const model::Batch &batch);
  Expected<void> emit(const model::Batch &batch);
  Expected<void> renumber(model::Event &event);
  Expected<void> announceUnused();

  const PartOptions &options_;
  model::TraceSink &sink_;
  TraceTable table_;
  FilterOptions filter_; // with the time range set
  FunctionRules rules_;
  bool decided_ = false;
  size_t decidedThreads_ = 0;
  std::vector<std::unique_ptr<ThreadState>> threads_;
  // Functions are announced when the first chosen event is about them.
  std::vector<uint32_t> renumbered_;
  uint32_t chosenFunctions_ = 0, chosenThreads_ = 0;
  std::vector<model::Event> chosen_; // of the current batch
  std::vector<uint64_t> numbers_;    // of these events, if the sink wants them
};

} // namespace ada::analysis
