// Adds up the calls that have ended since the last look.
#include "call_rates.h"

#include "trace/base/try.h"

namespace ada::analysis {

class CallRates::Reader : public model::TraceSink {
public:
  explicit Reader(CallRates &rates) : rates_(rates) {}

  Expected<void> events(const model::Batch &batch) override {
    if (!state_)
      beginThread(batch.events[0].thread);
    state_->calls.take(batch);
    for (const model::Event &event : batch.events) {
      rates_.lastEvents_ += !event.isEarlier;
      if (!event.isEarlier && !isText(event.kind))
        state_->lastNs = event.timeNs;
    }
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    state_ = nullptr;
    return {};
  }

private:
  void beginThread(uint32_t thread) {
    state_ = &rates_.threads_.try_emplace(thread, rates_).first->second;
    RecorderTimes recorder(rates_.table_.threads[thread].offCpu.get());
    if (state_->lastNs > 0)
      recorder.takeUntil(state_->lastNs, [](uint64_t, uint64_t) {}); // was counted by the last look
    state_->calls.follow(recorder);
  }

  CallRates &rates_;
  ThreadState *state_ = nullptr; // of the current thread
};

void CallRates::end(const Span &span) {
  RateRow &row = rowOf(span.functionIndex);
  for (CallSums *sums : {&row.last, &row.all}) {
    ++sums->calls;
    sums->totalNs += span.outermost ? span.durationNs() : 0;
    sums->selfNs += span.selfNs();
    sums->sumNs += span.durationNs();
    sums->durations.add(span.durationNs());
  }
}

RateRow &CallRates::rowOf(uint32_t function) {
  if (function >= rowOf_.size())
    rowOf_.resize(table_.functions.size());
  RateRow *&row = rowOf_[function];
  if (!row) {
    const std::string &name = table_.functions[function].displayName;
    const auto [at, isNew] = rowOfName_.try_emplace(name);
    if (isNew)
      at->second = &rows_.emplace_back(RateRow{.function = name, .last = {}, .all = {}});
    row = at->second;
  }
  return *row;
}

Expected<void> CallRates::update(model::TraceSource &source, const std::function<bool(const model::Process &)> &wants) {
  for (RateRow &row : rows_)
    row.last = {};
  lastEvents_ = 0;
  Reader reader(*this);
  ADA_TRY(trace_.look(source, reader,
                      [&](uint32_t thread) { return !wants || wants(table_.processOf(table_.threads[thread])); }));
  allEvents_ += lastEvents_;
  return {};
}

uint64_t CallRates::openCalls() const {
  uint64_t open = 0;
  for (const auto &[name, thread] : threads_)
    open += thread.calls.walker().depth();
  return open;
}

} // namespace ada::analysis
