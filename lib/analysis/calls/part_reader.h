// Reads a thread's calls in parts: the one place that cuts threads, follows calls over the cuts, and joins them.
//
// A Consumer derives from PartReader<Consumer, Note>. Each worker has one, with a table of its own. It has
//
//   void beginPart(const ThreadPart &part);
//   void begun(uint64_t seq, const model::Event &call, bool shown, std::string &&arguments);
//   void ended(const Span &call, const OffCpuOfCall *off, bool shown, std::string &&result);
//   void endedCrossing(const Span &call, bool shown, std::string &&result, Note &note);
//   void left(const Span &call, Note &note);
//   void crossed(const Span &call, const OffCpuOfCall &off, const Note &begun, const Note &ended);
//
// begun() comes for each call, also for those that are open at the part's start (Event::isEarlier), outermost first.
// Each of them gets one of three ends, the innermost first: ended() if the call began in the part, or before the trace;
// endedCrossing() if it began in another part; and left(), the outermost first, if it continues in the next part. Calls
// that crossed a cut come to crossed() of the consumer that saw their ends, whole, once all parts were read. `off` is
// null if the call was never off-CPU.
//
// docs/developers/analysis.md has a whole consumer.
#pragma once

#include "call_reader.h"
#include "open_calls.h"
#include "trace/base/try.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ada::analysis {

/// Sink is TableSink, or another TraceSink if the consumer has idOf(function).
template <class Consumer, class NoteOfCall, class Sink = TableSink>
class PartReader : public Sink, public CrossedCalls<NoteOfCall> {
public:
  using Note = NoteOfCall; ///< what it wants to know of a call that continues in another part
  using Sink::begin;

  Expected<void> events(const model::Batch &batch) override {
    take(batch);
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    endPart();
    keepEnds();
    return {};
  }

  // What consumers may leave out.
  void begun(uint64_t, const model::Event &, bool, std::string &&) {}
  void left(const Span &, Note &) {}

  // Called by CallReader.
  [[gnu::always_inline]] void begin(uint64_t seq, const model::Event &call, bool shown, std::string &&arguments) {
    if (call.isEarlier && ends_.part.continues())
      ends_.before.push_back(
          {.functionId = functionIdOf(call.function), .beginNs = call.timeNs, .function = call.function});
    consumer().begun(seq, call, shown, std::move(arguments));
  }
  [[gnu::always_inline]] void end(const Span &call, bool shown, std::string &&result) {
    if (call.isEarlier && ends_.part.continues()) // crossed() has the whole of it
      return endCrossing(call, shown, std::move(result));
    consumer().ended(call, off_.has(call.depth) ? &off_.ended(call.depth) : nullptr, shown, std::move(result));
  }

  /// What the parts that were read leave, for PartJoin; of threads with several parts.
  std::vector<PartEnds<Note>> parts;

protected:
  template <class... Args> explicit PartReader(Args &&...args) : Sink(std::forward<Args>(args)...) {}

  /// Call this in beginPart(). `values` and `offCpuOf` are null if values or off-CPU times are not wanted; `offCpuOf`
  /// has the threads.
  void startPart(const ThreadPart &part, FunctionRules &rules, ValueTexts *values, const TraceTable *offCpuOf) {
    ends_ = {};
    ends_.part = part;
    lane_ = offCpuOf ? offCpuOf->threads[part.thread].offCpu.get() : nullptr;
    offCpu_ = lane_ ? followerOf(*offCpuOf, part.thread) : OffCpuFollower();
    off_.clear();
    calls_.emplace(*this, rules, values);
  }
  const ThreadPart &part() const { return ends_.part; }
  PartEnds<Note> &ends() { return ends_; }
  auto &calls() { return *calls_; }

  // The inner loops. Inlined into one function, they check only once per event whether it is a call; 10 % of a report's
  // time.
  void take(const model::Batch &batch) {
    ends_.hasEvents = true;
    if (lane_)
      takeWithOffCpu(batch);
    else
      takeAll(batch);
  }
  /// For consumers that look at each event: before CallReader::take().
  void follow(const model::Event &event) {
    ends_.hasEvents = true;
    if (lane_)
      followOffCpu(event);
  }
  /// Open calls end with the trace, or continue in the next part.
  void endPart() {
    calls_->settle();
    if (ends_.part.isLast)
      calls_->finish();
    else
      leaveOpen();
    off_.clear();
  }
  /// After that.
  void keepEnds() {
    if (!ends_.part.isLast || ends_.part.continues())
      parts.push_back(std::move(ends_));
  }

private:
  Consumer &consumer() { return static_cast<Consumer &>(*this); }
  uint64_t functionIdOf(uint32_t function) {
    if constexpr (requires(Consumer &consumer) { consumer.idOf(function); })
      return consumer().idOf(function);
    else
      return this->table().functions[function].id;
  }
  [[gnu::flatten]] void takeAll(const model::Batch &batch) { calls_->take(batch); }
  [[gnu::flatten]] void takeWithOffCpu(const model::Batch &batch) {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      followOffCpu(event);
      calls_->take(seq++, event, batch);
    }
  }
  void followOffCpu(const model::Event &event) {
    if (event.isEarlier)
      return;
    if (ends_.firstNs == 0) { // the time before it lies between two parts: see OpenCalls
      ends_.firstNs = event.timeNs;
      offCpu_.skipTo(event.timeNs);
      takeEarlier(event.timeNs);
    }
    if (offCpu_.isDue(event.timeNs))
      takeOffCpu(event.timeNs);
    ends_.lastNs = event.timeNs;
  }
  [[gnu::noinline]] void takeOffCpu(uint64_t ns) {
    calls_->settle();
    off_.take(offCpu_, ends_.lastNs, ns, calls_->walker().depth());
  }
  [[gnu::noinline]] void takeEarlier(uint64_t firstNs) {
    calls_->settle();
    if (!ends_.part.continues())
      off_.takeEarlier(*lane_, calls_->walker().open(), firstNs);
  }
  [[gnu::noinline]] void endCrossing(const Span &call, bool shown, std::string &&result) {
    ADA_ASSERT(call.depth < ends_.before.size());
    CrossingCall<Note> &end = ends_.before[call.depth];
    if (off_.has(call.depth))
      end.off = off_.ended(call.depth);
    end.childrenNs = call.childrenNs, end.how = call.how, end.endNs = call.endNs, end.endSeq = call.endSeq;
    end.hasEnded = true, end.isOutermost = call.outermost;
    consumer().endedCrossing(call, shown, std::move(result), end.note);
  }
  void leaveOpen() {
    off_.sumUp();
    for (const Span &call : calls_->walker().open()) {
      const OffCpuOfCall off = off_.of(call.depth);
      if (call.isEarlier && ends_.part.continues()) {
        CrossingCall<Note> &before = ends_.before[call.depth];
        before.childrenNs = call.childrenNs, before.off = off;
        consumer().left(call, before.note);
        continue;
      }
      ends_.after.push_back({.functionId = functionIdOf(call.functionIndex),
                             .beginNs = call.beginNs,
                             .beginSeq = call.beginSeq,
                             .childrenNs = call.childrenNs,
                             .off = off,
                             .function = call.functionIndex,
                             .isEarlier = call.isEarlier});
      consumer().left(call, ends_.after.back().note);
    }
  }

  PartEnds<Note> ends_; // of the current part
  const OffCpuLane *lane_ = nullptr;
  OffCpuFollower offCpu_;
  OffCpuOfCalls off_;
  std::optional<CallReader<PartReader, kFiltered | kWithValues>> calls_;
};

/// Adds what the parts that a reader has read leave.
template <class Reader> void addParts(PartJoin<typename Reader::Note> &join, Reader &reader) {
  for (auto &ends : reader.parts)
    join.add(std::move(ends), reader);
  reader.parts.clear();
}

/// Reads the threads in parts of about that many events, several at a time, and joins the parts; in whole threads if
/// they do not fit together. make(TraceTable &) makes a consumer; each is passed to `use` once it knows all its calls.
template <class Reader>
Expected<void> readCalls(const Trace &trace, uint64_t partEvents,
                         const std::function<std::unique_ptr<Reader>(TraceTable &)> &make,
                         const std::function<void(Reader &)> &use, Damage &damage) {
  for (const uint64_t events : {partEvents, kWholeThread}) {
    Damage found;
    auto workers = ADA_TRY(runWorkers<Reader>(trace, partsOf(trace, events), make, found));
    PartJoin<typename Reader::Note> join;
    for (const auto &worker : workers)
      addParts(join, *worker->reader);
    if (!join.run(trace.table) && events != kWholeThread)
      continue;
    damage += found;
    for (auto &worker : workers) {
      use(*worker->reader);
      worker.reset();
    }
    return {};
  }
  return {};
}

} // namespace ada::analysis
