// One thread's calls from a given place on, with the numbers of the events that began them.
#pragma once

#include "analysis/calls/call_reader.h"
#include "analysis/events/early_end.h"
#include "analysis/events/trace_table.h"
#include "function_list.h"
#include "picture.h"
#include "stop_scope.h"

#include <span>
#include <vector>

namespace ada::view {

/// A call that has not ended.
struct OpenCall {
  uint64_t beginNs = 0;
  uint64_t seq = kNoSeq;
  uint32_t function = 0; ///< number in the FunctionList
};

/// Where a thread can be read from.
struct ReadingPlace {
  uint64_t seq = 0; ///< number of the event that comes there
  uint64_t timeNs = 0;
  std::vector<OpenCall> open; ///< outermost first
  /// The calls open there come with the reading (ReadRequest::withOpenCalls) instead.
  bool sourceKnowsOpen = true;
};

/// Receives what a walk finds. Functions are numbers in the FunctionList.
class CallVisitor {
public:
  virtual ~CallVisitor() = default;
  /// Before each event; false ends the walk.
  virtual bool goesOn(uint64_t /*seq*/, uint64_t /*timeNs*/) { return true; }
  /// Calls that were open at the start come first; `seq` is kNoSeq if not known.
  virtual void begin(const OpenCall &, uint32_t /*depth*/) {}
  /// Span::beginSeq is kNoSeq if not known.
  virtual void end(const Span & /*call*/) {}
  /// The recorder held up the innermost open call.
  virtual void heldUp(uint64_t /*fromNs*/, uint64_t /*toNs*/) {}
};

/// Feeds a CallVisitor. After the reading, open() has the open calls.
class ThreadWalk : public analysis::TableSink {
public:
  using TableSink::begin;
  ThreadWalk(analysis::TraceTable &table, FunctionNumbers &numbers, const ReadingPlace &place, const OffCpuLane *lane,
             CallVisitor &visitor)
      : TableSink(table), numbers_(numbers), visitor_(visitor), calls_(*this), latestNs_(place.timeNs) {
    calls_.follow(analysis::RecorderTimes(lane));
    for (const OpenCall &call : place.open) {
      calls_.open(call.beginNs, call.function, call.seq);
      tellBegin();
    }
  }

  Expected<void> events(const model::Batch &batch) override {
    if (StopScope::isOver())
      return StopScope::stopped();
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (event.isEarlier) {
        calls_.take(kNoSeq, event, batch);
        continue;
      }
      calls_.holdUpUntil(event.timeNs);
      if (!visitor_.goesOn(seq, event.timeNs))
        return analysis::earlyEnd();
      latestNs_ = event.timeNs > latestNs_ ? event.timeNs : latestNs_;
      nextSeq_ = seq + 1;
      calls_.take(seq++, event, batch);
    }
    return {};
  }

  std::span<const Span> open() const { return calls_.walker().open(); }
  /// Ends the open calls, as SpanEnd::Open.
  void endOpenCalls() { calls_.finish(); }
  uint64_t latestNs() const { return latestNs_; }
  uint64_t nextSeq() const { return nextSeq_; }

  // Called by CallReader.
  uint32_t numberOf(uint32_t function) { return numbers_.of(function); }
  void begin(uint64_t, const model::Event &) { tellBegin(); }
  void end(const Span &call) { visitor_.end(call); }
  void heldUp(uint64_t fromNs, uint64_t toNs) { visitor_.heldUp(fromNs, toNs); }

private:
  void tellBegin() {
    const Span &call = open().back();
    visitor_.begin({call.beginNs, call.beginSeq, call.functionIndex}, call.depth);
  }

  FunctionNumbers &numbers_;
  CallVisitor &visitor_;
  analysis::CallReader<ThreadWalk, analysis::kWithRecorder> calls_;
  uint64_t latestNs_ = 0, nextSeq_ = 0;
};

} // namespace ada::view
