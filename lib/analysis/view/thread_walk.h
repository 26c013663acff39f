// One thread's calls from a given place on, with the numbers of the events that began them.
#pragma once

#include "ada/trace/calls.h"
#include "analysis/calls/recorder_times.h"
#include "analysis/events/early_end.h"
#include "analysis/events/trace_table.h"
#include "function_list.h"
#include "picture.h"
#include "stop_scope.h"

#include <vector>

namespace ada::view {

/// A call that has not ended.
struct OpenCall {
  uint64_t beginNs = 0;
  uint64_t seq = kNoSeq;
  uint32_t function = 0; ///< number in the FunctionList
};

/// Where a thread can be read from.
struct Place {
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
  virtual void end(const Span & /*call*/, uint64_t /*seq*/) {}
  /// The recorder held up the innermost open call.
  virtual void heldUp(uint64_t /*fromNs*/, uint64_t /*toNs*/) {}
};

/// Feeds a CallVisitor. After the reading, walker() has the open calls.
class ThreadWalk : public analysis::TableSink {
public:
  ThreadWalk(analysis::TraceTable &table, FunctionNumbers &numbers, const Place &place, const OffCpuLane *lane,
             CallVisitor &visitor)
      : TableSink(table), numbers_(numbers), visitor_(visitor), recorder_(lane), latestNs_(place.timeNs) {
    for (const OpenCall &call : place.open)
      open(call, 0);
  }

  Expected<void> events(const model::Batch &batch) override {
    if (StopScope::isOver())
      return StopScope::stopped();
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (event.isEarlier) {
        if (walker_.depth() == 0)
          walker_.openUnknown(batch.unknownCalls);
        open({event.timeNs, kNoSeq, numbers_.of(event.function)}, batch.keptFromNs);
        continue;
      }
      if (recorder_.isDue(event.timeNs))
        holdUp(event.timeNs);
      if (!visitor_.goesOn(seq, event.timeNs))
        return analysis::earlyEnd();
      take(seq++, event);
    }
    return {};
  }

  const CallStackWalker &walker() const { return walker_; }
  CallStackWalker &walker() { return walker_; }
  /// Number of the event that began the open call at this depth.
  uint64_t seqOf(uint32_t depth) const { return seqs_[depth]; }
  uint64_t seqOf(const Span &open) const { return seqs_[open.depth]; }
  uint64_t latestNs() const { return latestNs_; }
  uint64_t nextSeq() const { return nextSeq_; }

private:
  void open(const OpenCall &call, uint64_t firstNs) {
    const uint32_t depth = walker_.depth();
    walker_.openEarlier(call.beginNs, call.function, firstNs);
    setSeq(depth, call.seq);
    visitor_.begin(call, depth);
  }
  void holdUp(uint64_t untilNs) {
    recorder_.takeUntil(untilNs, [this](uint64_t fromNs, uint64_t toNs) {
      walker_.holdUp(toNs - fromNs);
      if (walker_.depth() > 0)
        visitor_.heldUp(fromNs, toNs);
    });
  }
  void setSeq(uint32_t depth, uint64_t seq) {
    if (depth >= seqs_.size())
      seqs_.resize(depth + size_t{1});
    seqs_[depth] = seq;
  }
  void take(uint64_t seq, const model::Event &event) {
    latestNs_ = event.timeNs > latestNs_ ? event.timeNs : latestNs_;
    nextSeq_ = seq + 1;
    if (isText(event.kind))
      return;
    const uint32_t function = numbers_.of(event.function);
    const CallStackWalker::Step step = walker_.feedNumbered(seq, event.timeNs, function, event.kind);
    if (event.kind == EventKind::Call) {
      setSeq(step.depth, seq);
      visitor_.begin({event.timeNs, seq, function}, step.depth);
    }
    for (const Span &span : step.finished)
      visitor_.end(span, seqs_[span.depth]);
  }

  FunctionNumbers &numbers_;
  CallVisitor &visitor_;
  CallStackWalker walker_;
  analysis::RecorderTimes recorder_;
  std::vector<uint64_t> seqs_; // by depth
  uint64_t latestNs_ = 0, nextSeq_ = 0;
};

} // namespace ada::view
