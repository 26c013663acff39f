// Adds up the calls that have ended since the last look.
#include "call_rates.h"

#include "analysis/events/trace_table.h"
#include "analysis/waits/recorder_times.h"
#include "base/try.h"

namespace ada::analysis {

// Reads one thread after the other. The numbers of functions are the source's, which differ from look to look.
class CallRates::Reader : public TableSink {
public:
  Reader(CallRates &rates, TraceTable &table) : TableSink(table), rates_(rates) {}

  void beginThread(uint32_t thread) {
    const model::Thread &about = table().threads[thread];
    state_ = &rates_.threads_[{table().processOf(about).name, about.number}];
    recorder_ = RecorderTimes(about.offCpu.get());
    if (state_->seen > 0)
      recorder_.takeUntil(state_->lastNs, [](uint64_t, uint64_t) {}); // was counted by the last look
  }
  uint64_t seen() const { return state_->seen; }

  Expected<void> addFunction(const model::Function &function) override {
    numbers_.push_back(rates_.numberOf(table().processes[function.process].name, function));
    return TableSink::addFunction(function);
  }
  Expected<void> events(const model::Batch &batch) override {
    CallStackWalker &walker = state_->walker;
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (event.isEarlier) {
        if (walker.depth() == 0)
          walker.openUnknown(batch.unknownCalls);
        walker.openEarlier(event.timeNs, numbers_[event.function], batch.keptFromNs);
        continue;
      }
      const uint64_t number = seq++;
      state_->seen = seq, ++rates_.lastEvents_;
      if (event.kind > model::Kind::Other)
        continue;
      if (recorder_.isDue(event.timeNs))
        recorder_.takeUntil(event.timeNs, [&](uint64_t fromNs, uint64_t toNs) { walker.holdUp(toNs - fromNs); });
      state_->lastNs = event.timeNs;
      const auto kind = event.kind == model::Kind::Other ? EventKind{event.other} : EventKind(event.kind);
      for (const Span &span : walker.feedNumbered(number, event.timeNs, numbers_[event.function], kind).finished)
        add(span);
    }
    return {};
  }

private:
  void add(const Span &span) {
    RateRow &row = rates_.rows_[rates_.rowOf_[span.functionIndex]];
    for (CallSums *sums : {&row.last, &row.all}) {
      ++sums->calls;
      sums->totalNs += span.outermost ? span.durationNs() : 0;
      sums->selfNs += span.selfNs();
      sums->sumNs += span.durationNs();
      sums->durations.add(span.durationNs());
    }
  }

  CallRates &rates_;
  ThreadState *state_ = nullptr;
  RecorderTimes recorder_;
  std::vector<uint32_t> numbers_; // by the source's number
};

uint32_t CallRates::numberOf(const std::string &process, const model::Function &function) {
  const auto [at, isNew] = functions_.try_emplace({process, function.id}, static_cast<uint32_t>(rowOf_.size()));
  if (isNew) {
    const auto [row, isNewName] = rowOfName_.try_emplace(function.displayName, static_cast<uint32_t>(rows_.size()));
    if (isNewName)
      rows_.push_back({.function = function.displayName, .last = {}, .all = {}});
    rowOf_.push_back(row->second);
  }
  return at->second;
}

Expected<void> CallRates::update(model::TraceSource &source) {
  for (RateRow &row : rows_)
    row.last = {};
  lastEvents_ = 0;
  TraceTable table;
  Reader reader(*this, table);
  model::ReadRequest request;
  request.threads.emplace();
  ADA_TRY(source.readPart(reader, request)); // what is announced
  request.isFurther = true;
  for (uint32_t thread = 0; thread < table.threads.size(); ++thread) {
    reader.beginThread(thread);
    request.threads = {thread};
    request.fromSeq = reader.seen();
    ADA_TRY(source.readPart(reader, request));
  }
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
