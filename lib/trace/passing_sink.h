// A sink that hands everything on: the base of sinks that look at what passes.
#pragma once

#include "ada/trace/model.h"

namespace ada::model {

class PassingSink : public TraceSink {
public:
  explicit PassingSink(TraceSink &sink) : sink_(sink) {}

  Expected<void> begin(const TraceInfo &info) override { return sink_.begin(info); }
  Expected<void> addProcess(const Process &process) override { return sink_.addProcess(process); }
  Expected<void> addThread(const Thread &thread) override { return sink_.addThread(thread); }
  Expected<void> addFunction(const Function &function) override { return sink_.addFunction(function); }
  Expected<void> events(const Batch &batch) override { return sink_.events(batch); }
  Expected<void> endThread(uint32_t thread) override { return sink_.endThread(thread); }
  Expected<void> finish() override { return sink_.finish(); }
  bool needsRange() const override { return sink_.needsRange(); }
  bool wantsDetails() const override { return sink_.wantsDetails(); }
  bool takesSymbols() const override { return sink_.takesSymbols(); }
  bool wantsUnused() const override { return sink_.wantsUnused(); }
  bool sharesFunctions() const override { return sink_.sharesFunctions(); }
  bool wantsNumbers() const override { return sink_.wantsNumbers(); }
  std::vector<Loss> losses() const override { return sink_.losses(); }

protected:
  TraceSink &sink_;
};

/// Counts the events that pass.
class EventCounter : public PassingSink {
public:
  using PassingSink::PassingSink;
  Expected<void> events(const Batch &batch) override {
    count_ += batch.events.size();
    return sink_.events(batch);
  }
  uint64_t count() const { return count_; }

private:
  uint64_t count_ = 0;
};

} // namespace ada::model
