// Reads a part of a thread: the rows of calls that begin and end in it.
//
// What it leaves is joined with its neighbours (span_read.h): the calls that continue from part to part.
#pragma once

#include "analysis/events/early_end.h"
#include "analysis/events/thread_calls.h"
#include "shared_trace.h"
#include "span_rows.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ada::query {

/// A call that continues from one part to another.
struct OpenSpan {
  static constexpr uint64_t kNoId = ~uint64_t{0}; ///< it began before the first part that was read

  uint64_t functionId = 0, beginNs = 0;
  uint32_t function = 0; ///< its number
  uint64_t id = kNoId;
  uint64_t childrenNs = 0; ///< as far as the parts show
  analysis::OffCpuOfCall off = {};
  bool isOutermost = true;
  std::string arguments = {};
  // If the part has its end:
  bool hasEnded = false;
  SpanEnd how = SpanEnd::Open;
  uint64_t endNs = 0;
  std::string result = {};
};

/// What a part leaves.
struct SpanPartEnds {
  std::vector<OpenSpan> before, after; ///< open at its start; begun in it and open at its end
  bool hasEvents = false;
  uint64_t firstNs = 0, lastNs = 0; ///< of its own events
};

/// Which part.
struct SpanPart {
  uint32_t thread = 0;
  uint64_t first = 0, last = ~uint64_t{0};
  bool isLast = true;         ///< calls that are open at its end are open at the end of the trace
  uint64_t skipEndsUntil = 0; ///< calls that ended before this event are not wanted
};

/// For one thread of the program.
class SpanPartReader : public model::TraceSink {
public:
  /// Marks the id of a parent that began before the part: the depth is in the other bits.
  static constexpr uint64_t kEarlierParent = uint64_t{1} << 63;
  /// At most that many rows are collected.
  static constexpr size_t kMostRows = size_t{1} << 18;

  /// `flush` is called when the rows are full, and takes them.
  SpanPartReader(SharedTrace &trace, const SpanRequest &request, const SpanFilter &filter,
                 std::function<Expected<void>()> flush)
      : rows(request.columns, trace.table()), trace_(trace), filter_(filter), stop_(request.stop),
        flush_(std::move(flush)),
        hasIds_(filter.hasIds() || request.columns.hasAny({SpanColumn::Id, SpanColumn::ParentId})),
        hasOutermost_(request.columns.has(SpanColumn::Outermost)), hasSums_(request.columns.hasAny(kSumColumns)),
        hasTexts_(request.columns.hasAny(kTextColumns)) {
    if (hasTexts_) {
      own_ = trace.table();
      values_.emplace(own_);
    }
  }

  void beginPart(const SpanPart &part) {
    part_ = part;
    ends_ = {};
    rows.clear();
    rows.beginThread(part.thread);
    failed_ = {};
    lane_ = hasSums_ ? trace_.table().threads[part.thread].offCpu.get() : nullptr;
    offCpu_ = lane_ ? analysis::followerOf(trace_.table(), part.thread) : analysis::OffCpuFollower();
    off_.clear();
    late_.clear();
    calls_.emplace(*this, rules_, values_ ? &*values_ : nullptr);
  }
  /// Whether calls that began before it come first, about which the parts before it know more.
  bool continues() const { return part_.first > 0; }
  const SpanPart &part() const { return part_; }
  SpanPartEnds &ends() { return ends_; }

  bool wantsDetails() const override { return hasTexts_; }
  Expected<void> addFunction(const model::Function &function) override {
    functions_.add(function);
    if (hasTexts_)
      own_.functions.push_back(function);
    return {};
  }
  Expected<void> events(const model::Batch &batch) override {
    ends_.hasEvents = true;
    if (stop_ && *stop_)
      return analysis::earlyEnd();
    if (hasTexts_)
      takeWithTexts(batch);
    else if (lane_)
      takeWithOffCpu(batch);
    else
      takeAll(batch);
    return failed_;
  }
  Expected<void> endThread(uint32_t) override {
    calls_->settle();
    if (part_.isLast)
      calls_->finish();
    else
      leaveOpen();
    clearOpen();
    return failed_;
  }

  // Called by ThreadCalls.
  using TraceSink::begin;
  void begin(uint64_t seq, const model::Event &call, bool, std::string &&arguments) {
    const uint32_t depth = calls_->walker().depth() - 1;
    if (hasIds_)
      noteId(seq, call, depth);
    if (hasOutermost_)
      countOpen(call.function);
    if (hasTexts_) {
      texts_.resize(depth);
      texts_.push_back(std::move(arguments));
    }
    if (call.isEarlier && continues())
      ends_.before.push_back(
          {.functionId = idOf(call.function), .beginNs = call.timeNs, .function = numberOf(call.function)});
  }
  void end(const Span &span, bool, std::string &&result) {
    const analysis::OffCpuOfCall off = off_.end(span.depth);
    const uint32_t function = numberOf(span.functionIndex);
    const bool isOutermost = !hasOutermost_ || --openCalls_[function] == 0;
    if (span.isEarlier && continues())
      return endEarlier(span, off, isOutermost, std::move(result));
    if (!filter_.wantsBegin(function, span.depth, span.beginNs) || !filter_.wantsEnd(span.beginNs, span.endNs) ||
        span.endSeq < part_.skipEndsUntil)
      return dropTexts(span.depth);
    if (hasIds_ && !filter_.wantsId(ids_[span.depth]))
      return dropTexts(span.depth);
    if (rows.size() >= kMostRows && failed_)
      failed_ = flush_();
    const uint64_t self = span.selfNs();
    rows.add({.id = hasIds_ ? ids_[span.depth] : 0,
              .parentId = hasIds_ && span.depth > 0 ? ids_[span.depth - 1] : kNoParent,
              .beginNs = span.beginNs,
              .endNs = span.endNs,
              .selfNs = self - std::min(self, off.self.recorderNs),
              .off = off,
              .function = function,
              .depth = span.depth,
              .how = span.how,
              .isOutermost = isOutermost,
              .arguments = hasTexts_ ? std::string_view(texts_[span.depth]) : std::string_view(),
              .result = result,
              .values = lateOf(span.depth)});
    dropTexts(span.depth);
  }

  SpanRows rows;

private:
  struct LateValues {
    uint32_t depth;
    std::string list;
  };

  uint32_t numberOf(uint32_t function) const { return functions_.numberOf(function); }
  uint64_t idOf(uint32_t function) const { return functions_.idOf(function); }
  void noteId(uint64_t seq, const model::Event &call, uint32_t depth) {
    if (depth >= ids_.size())
      ids_.resize(depth + size_t{1});
    ids_[depth] = !call.isEarlier ? spanId(part_.thread, seq)
                  : continues()   ? kEarlierParent | depth
                                  : earlierSpanId(part_.thread, depth);
  }
  void countOpen(uint32_t function) {
    const uint32_t number = numberOf(function);
    if (number >= openCalls_.size())
      openCalls_.resize(number + size_t{1});
    ++openCalls_[number];
  }

  // The inner loops. Inlined into one function, they check only once per event whether it is a call.
  [[gnu::flatten]] void takeAll(const model::Batch &batch) { calls_->take(batch); }
  [[gnu::flatten]] void takeWithOffCpu(const model::Batch &batch) {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      followOffCpu(event);
      calls_->take(seq++, event, batch);
    }
  }
  [[gnu::noinline]] void takeWithTexts(const model::Batch &batch) {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (lane_)
        followOffCpu(event);
      if (event.kind == model::Kind::Value && !calls_->isPending())
        addLate(batch.texts[event.extra]);
      else
        calls_->take(seq, event, batch);
      ++seq;
    }
  }
  void followOffCpu(const model::Event &event) {
    if (event.isEarlier)
      return;
    if (ends_.firstNs == 0) { // the time before it lies between two parts
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
    if (!continues())
      off_.takeEarlier(*lane_, calls_->walker().open(), firstNs);
  }
  [[gnu::noinline]] void endEarlier(const Span &span, const analysis::OffCpuOfCall &off, bool isOutermost,
                                    std::string &&result) {
    OpenSpan &end = ends_.before[span.depth];
    end.off = off;
    end.childrenNs = span.childrenNs, end.how = span.how, end.endNs = span.endNs;
    end.hasEnded = true, end.isOutermost = isOutermost;
    end.result = std::move(result);
  }
  // Open calls continue in the next part.
  void leaveOpen() {
    off_.sumUp();
    for (const Span &span : calls_->walker().open()) {
      const analysis::OffCpuOfCall off = off_.of(span.depth);
      if (span.isEarlier && continues()) {
        ends_.before[span.depth].childrenNs = span.childrenNs, ends_.before[span.depth].off = off;
        continue;
      }
      ends_.after.push_back({.functionId = idOf(span.functionIndex),
                             .beginNs = span.beginNs,
                             .function = numberOf(span.functionIndex),
                             .id = hasIds_ ? ids_[span.depth] : OpenSpan::kNoId,
                             .childrenNs = span.childrenNs,
                             .off = off,
                             .arguments = hasTexts_ ? std::move(texts_[span.depth]) : std::string()});
      if (hasOutermost_)
        --openCalls_[numberOf(span.functionIndex)];
    }
  }
  void clearOpen() {
    for (const OpenSpan &call : ends_.before) // those that did not end here
      if (hasOutermost_ && !call.hasEnded)
        --openCalls_[call.function];
    calls_.reset();
    off_.clear();
  }

  void addLate(const model::Text &text) {
    if (calls_->walker().depth() == 0)
      return;
    const uint32_t depth = calls_->walker().depth() - 1;
    if (late_.empty() || late_.back().depth != depth)
      late_.push_back({depth, {}});
    analysis::addValue(late_.back().list, text);
  }
  std::string_view lateOf(uint32_t depth) const {
    return !late_.empty() && late_.back().depth == depth ? std::string_view(late_.back().list) : std::string_view();
  }
  void dropTexts(uint32_t depth) {
    if (!late_.empty() && late_.back().depth >= depth)
      late_.pop_back();
  }

  SharedTrace &trace_;
  SourceFunctions functions_{trace_};
  const SpanFilter &filter_;
  const std::atomic<bool> *stop_;
  std::function<Expected<void>()> flush_;
  const bool hasIds_, hasOutermost_, hasSums_, hasTexts_;
  analysis::TraceTable own_; // for the types of arguments
  analysis::FilterOptions everything_;
  analysis::FunctionRules rules_{everything_, own_}; // never asked
  std::optional<analysis::ValueTexts> values_;

  // About the current part:
  SpanPart part_;
  SpanPartEnds ends_;
  std::optional<analysis::ThreadCalls<SpanPartReader>> calls_;
  const OffCpuLane *lane_ = nullptr;
  analysis::OffCpuFollower offCpu_;
  analysis::OffCpuOfCalls off_;
  std::vector<uint64_t> ids_;       // by depth
  std::vector<std::string> texts_;  // arguments, by depth
  std::vector<LateValues> late_;    // the outermost call first
  std::vector<uint32_t> openCalls_; // by number of the function
  Expected<void> failed_;
};

} // namespace ada::query
