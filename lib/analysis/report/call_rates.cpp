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
    CallStackWalker &walker = state_->walker;
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (event.isEarlier) {
        if (walker.depth() == 0)
          walker.openUnknown(batch.unknownCalls);
        walker.openEarlier(event.timeNs, event.function, batch.keptFromNs);
        continue;
      }
      const uint64_t number = seq++;
      ++rates_.lastEvents_;
      if (event.kind > model::Kind::Other)
        continue;
      if (recorder_.isDue(event.timeNs))
        recorder_.takeUntil(event.timeNs, [&](uint64_t fromNs, uint64_t toNs) { walker.holdUp(toNs - fromNs); });
      state_->lastNs = event.timeNs;
      const auto kind = event.eventKind();
      for (const Span &span : walker.feedNumbered(number, event.timeNs, event.function, kind).finished)
        add(span);
    }
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    state_ = nullptr;
    return {};
  }

private:
  void beginThread(uint32_t thread) {
    state_ = &rates_.threads_[thread];
    recorder_ = RecorderTimes(rates_.table_.threads[thread].offCpu.get());
    if (state_->lastNs > 0)
      recorder_.takeUntil(state_->lastNs, [](uint64_t, uint64_t) {}); // was counted by the last look
  }
  void add(const Span &span) {
    RateRow &row = rates_.rowOf(span.functionIndex);
    for (CallSums *sums : {&row.last, &row.all}) {
      ++sums->calls;
      sums->totalNs += span.outermost ? span.durationNs() : 0;
      sums->selfNs += span.selfNs();
      sums->sumNs += span.durationNs();
      sums->durations.add(span.durationNs());
    }
  }

  CallRates &rates_;
  ThreadState *state_ = nullptr; // of the current thread
  RecorderTimes recorder_;
};

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
    open += thread.walker.depth();
  return open;
}

} // namespace ada::analysis
