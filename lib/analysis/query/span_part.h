// Reads a part of a thread: the rows of calls that begin and end in it.
//
// What it leaves is joined with its neighbours (span_read.h): the calls that continue from part to part.
#pragma once

#include "analysis/calls/part_reader.h"
#include "analysis/events/early_end.h"
#include "shared_trace.h"
#include "span_rows.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ada::query {

/// What is known of a call that continues from one part to another.
struct SpanNote {
  static constexpr uint64_t kNoId = ~uint64_t{0}; ///< it began before the first part that was read

  uint32_t function = 0; ///< its number
  uint64_t id = kNoId;
  std::string arguments = {};
  // If the part has its end:
  bool isOutermost = true;
  std::string result = {};
};
using OpenSpan = analysis::CrossingCall<SpanNote>;
using SpanEnds = analysis::PartEnds<SpanNote>;
using SpanPart = analysis::ThreadPart;

/// For one thread of the program.
class SpanPartReader : public analysis::PartReader<SpanPartReader, SpanNote, model::TraceSink> {
public:
  /// Marks the id of a parent that began before the part: the depth is in the other bits.
  static constexpr uint64_t kEarlierParent = uint64_t{1} << 63;
  /// At most that many rows are collected.
  static constexpr size_t kMaxRows = size_t{1} << 18;

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

  /// Calls that ended before event number `skipEndsUntil` are not wanted.
  void beginPart(const SpanPart &part, uint64_t skipEndsUntil = 0) {
    skipEndsUntil_ = skipEndsUntil;
    rows.clear();
    rows.beginThread(part.thread);
    failed_ = {};
    late_.clear();
    startPart(part, rules_, values_ ? &*values_ : nullptr, hasSums_ ? &trace_.table() : nullptr);
  }
  using PartReader::ends, PartReader::part;

  bool wantsDetails() const override { return hasTexts_; }
  Expected<void> addFunction(const model::Function &function) override {
    functions_.add(function);
    if (hasTexts_)
      own_.functions.push_back(function);
    return {};
  }
  Expected<void> events(const model::Batch &batch) override {
    if (stop_ && *stop_)
      return analysis::earlyEnd();
    if (hasTexts_)
      takeWithTexts(batch);
    else
      take(batch);
    return failed_;
  }
  Expected<void> endThread(uint32_t) override {
    endPart();
    return failed_;
  }

  // Called by PartReader.
  uint64_t idOf(uint32_t function) const { return functions_.idOf(function); }
  void begun(uint64_t seq, const model::Event &call, bool, std::string &&arguments) {
    const uint32_t depth = calls().walker().depth() - 1;
    if (hasIds_)
      noteId(seq, call, depth);
    if (hasOutermost_)
      countOpen(call.function);
    if (hasTexts_) {
      texts_.resize(depth);
      texts_.push_back(std::move(arguments));
    }
    if (call.isEarlier && part().continues())
      ends().before.back().note.function = numberOf(call.function);
  }
  void ended(const Span &span, const analysis::OffCpuOfCall *off, bool, std::string &&result) {
    const uint32_t function = numberOf(span.functionIndex);
    const bool isOutermost = !hasOutermost_ || --openCalls_[function] == 0;
    if (!filter_.wantsBegin(function, span.depth, span.beginNs) || !filter_.wantsEnd(span.beginNs, span.endNs) ||
        span.endSeq < skipEndsUntil_)
      return dropTexts(span.depth);
    if (hasIds_ && !filter_.wantsId(ids_[span.depth]))
      return dropTexts(span.depth);
    if (rows.size() >= kMaxRows && failed_)
      failed_ = flush_();
    const uint64_t self = span.selfNs();
    static constexpr analysis::OffCpuOfCall kNever;
    rows.add({.id = hasIds_ ? ids_[span.depth] : 0,
              .parentId = hasIds_ && span.depth > 0 ? ids_[span.depth - 1] : kNoParent,
              .beginNs = span.beginNs,
              .endNs = span.endNs,
              .selfNs = self - (off ? std::min(self, off->self.recorderNs) : 0),
              .off = off ? *off : kNever,
              .function = function,
              .depth = span.depth,
              .how = span.how,
              .isOutermost = isOutermost,
              .arguments = hasTexts_ ? std::string_view(texts_[span.depth]) : std::string_view(),
              .result = result,
              .values = lateOf(span.depth)});
    dropTexts(span.depth);
  }
  void endedCrossing(const Span &span, bool, std::string &&result, SpanNote &note) {
    note.isOutermost = !hasOutermost_ || --openCalls_[numberOf(span.functionIndex)] == 0;
    note.result = std::move(result);
  }
  void left(const Span &span, SpanNote &note) {
    note.function = numberOf(span.functionIndex);
    if (hasOutermost_)
      --openCalls_[note.function];
    if (span.isEarlier && part().continues())
      return;
    note.id = hasIds_ ? ids_[span.depth] : SpanNote::kNoId;
    note.arguments = hasTexts_ ? std::move(texts_[span.depth]) : std::string();
  }
  // SpanRead joins parts, so that it hands on the rows of each with those before it.
  void crossed(const Span &, const analysis::OffCpuOfCall &, const SpanNote &, const SpanNote &) override {}

  SpanRows rows;

private:
  struct LateValues {
    uint32_t depth;
    std::string list;
  };

  uint32_t numberOf(uint32_t function) const { return functions_.numberOf(function); }
  void noteId(uint64_t seq, const model::Event &call, uint32_t depth) {
    if (depth >= ids_.size())
      ids_.resize(depth + size_t{1});
    ids_[depth] = !call.isEarlier      ? spanId(part().thread, seq)
                  : part().continues() ? kEarlierParent | depth
                                       : earlierSpanId(part().thread, depth);
  }
  void countOpen(uint32_t function) {
    const uint32_t number = numberOf(function);
    if (number >= openCalls_.size())
      openCalls_.resize(number + size_t{1});
    ++openCalls_[number];
  }

  [[gnu::noinline]] void takeWithTexts(const model::Batch &batch) {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      follow(event);
      if (event.kind == EventKind::Value && !calls().isPending())
        addLate(batch.texts[event.extra]);
      else
        calls().take(seq, event, batch);
      ++seq;
    }
  }

  void addLate(const model::Text &text) {
    if (calls().walker().depth() == 0)
      return;
    const uint32_t depth = calls().walker().depth() - 1;
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
  uint64_t skipEndsUntil_ = 0;
  std::vector<uint64_t> ids_;       // by depth
  std::vector<std::string> texts_;  // arguments, by depth
  std::vector<LateValues> late_;    // the outermost call first
  std::vector<uint32_t> openCalls_; // by number of the function
  Expected<void> failed_;
};

} // namespace ada::query
