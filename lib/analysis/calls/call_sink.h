// A sink that reads one thread after the other and makes calls of its events.
#pragma once

#include "analysis/events/trace_table.h"
#include "call_reader.h"

#include <optional>

namespace ada::analysis {

/// `Consumer` derives from this and has end() of CallReader, and begin() if it needs it. If it has them, these are
/// called at a thread's first event, before and after the ends of its open calls:
///
///   void threadBegins();
///   void traceEnds();
///   void threadEnds();
template <class Consumer> class CallSink : public TableSink {
public:
  CallSink(TraceTable &table, const FilterOptions &filter) : TableSink(table), rules_(filter, table) {}

  Expected<void> events(const model::Batch &batch) override {
    if (!calls_)
      beginThread(batch.events[0].thread);
    calls_->take(batch);
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    if (!calls_)
      return {};
    if constexpr (requires(Consumer &consumer) { consumer.traceEnds(); })
      consumer().traceEnds();
    calls_->finish();
    if constexpr (requires(Consumer &consumer) { consumer.threadEnds(); })
      consumer().threadEnds();
    calls_.reset();
    return {};
  }
  void begin(uint64_t, const model::Event &, bool, std::string &&) {} // called by CallReader

protected:
  FunctionRules rules_;
  uint32_t thread_ = 0; // the current one
  std::optional<CallReader<Consumer>> calls_;

private:
  Consumer &consumer() { return static_cast<Consumer &>(*this); }
  [[gnu::noinline]] void beginThread(uint32_t thread) {
    thread_ = thread;
    calls_.emplace(consumer(), rules_, nullptr);
    calls_->follow(RecorderTimes(table().threads[thread].offCpu.get()));
    if constexpr (requires(Consumer &consumer) { consumer.threadBegins(); })
      consumer().threadBegins();
  }
};

} // namespace ada::analysis
