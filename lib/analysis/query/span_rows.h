// The columns that a reader fills, and the conditions on a row.
#pragma once

#include "ada/trace/calls.h"
#include "ada/trace/columns.h"
#include "analysis/report/report_parts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ada::query {

inline constexpr SpanColumns kTextColumns = {SpanColumn::Arguments, SpanColumn::Result, SpanColumn::Values};
/// What is read at a call's begin.
inline constexpr SpanColumns kBeginColumns = {SpanColumn::Arguments, SpanColumn::Values};
/// What a call's whole time has to be read for.
inline constexpr SpanColumns kSumColumns = {SpanColumn::Self,      SpanColumn::OnCpu,    SpanColumn::Waiting,
                                            SpanColumn::Preempted, SpanColumn::Recorder, SpanColumn::SelfRecorder};

/// What is known about a call when it has ended.
struct EndedCall {
  uint64_t id = 0, parentId = 0;
  uint64_t beginNs = 0, endNs = 0;
  uint64_t selfNs = 0; ///< the recorder's time is not part of it
  const analysis::OffCpuOfCall &off;
  uint32_t function = 0, depth = 0;
  SpanEnd how = SpanEnd::Open;
  bool isOutermost = true;
  std::string_view arguments = {}, result = {}, values = {};
  uint64_t durationNs() const { return endNs - beginNs; }
};

/// The conditions of a request.
class SpanFilter {
public:
  SpanFilter(const SpanRequest &request, size_t functions) : request_(request) {
    if (!request.functions)
      return;
    isWanted_.resize(functions);
    for (const uint32_t function : *request.functions)
      if (function < functions)
        isWanted_[function] = true;
  }

  /// The conditions that are known when a call begins. A call without an id has one that is not known yet.
  bool wantsBegin(uint32_t function, uint32_t depth, uint64_t beginNs) const {
    return (!request_.functions || (function < isWanted_.size() && isWanted_[function])) && beginNs >= request_.minTs &&
           beginNs <= request_.maxTs && (beginNs < request_.toNs || request_.toNs == SpanRequest::kNoLimit) &&
           depth >= request_.minDepth && depth <= request_.maxDepth;
  }
  bool wantsEnd(uint64_t beginNs, uint64_t endNs) const {
    const uint64_t duration = endNs - beginNs;
    return duration >= request_.minDur && duration <= request_.maxDur && endNs >= request_.fromNs;
  }
  bool wantsId(uint64_t id) const { return id >= request_.minId && id <= request_.maxId; }
  bool hasIds() const { return request_.minId > 0 || request_.maxId < SpanRequest::kNoLimit; }

private:
  const SpanRequest &request_;
  std::vector<uint8_t> isWanted_; // by function
};

/// The rows of a chunk. Memory is kept from one chunk to the next.
class SpanRows {
public:
  SpanRows(SpanColumns columns, const analysis::TraceTable &table) : columns_(columns), table_(table) {}

  /// Rows are of this thread from now on, until the next call, which must come after clear().
  void beginThread(uint32_t thread) {
    thread_ = thread;
    process_ = table_.threads[thread].process;
    knowsSched_ = table_.threads[thread].knowsSched();
    knowsRecorder_ = table_.threads[thread].offCpu != nullptr;
  }
  size_t size() const { return size_; }
  void clear() { size_ = 0; }

  [[gnu::always_inline]] void add(const EndedCall &call) {
    if (size_ == room_)
      grow();
    const size_t row = size_++;
    const auto put = [&](SpanColumn column, auto &values, auto value) {
      if (columns_.has(column))
        values[row] = static_cast<std::remove_reference_t<decltype(values[0])>>(value);
    };
    put(SpanColumn::Id, id_, call.id);
    put(SpanColumn::ParentId, parent_, call.parentId);
    put(SpanColumn::Ts, ts_, call.beginNs);
    put(SpanColumn::Dur, dur_, call.durationNs());
    put(SpanColumn::Function, function_, call.function);
    put(SpanColumn::Depth, depth_, call.depth);
    put(SpanColumn::Exit, exit_, call.how);
    put(SpanColumn::Outermost, outermost_, call.isOutermost);
    if (columns_.hasAny(kSumColumns)) {
      put(SpanColumn::Self, self_, call.selfNs);
      put(SpanColumn::OnCpu, onCpu_, knowsSched_ ? call.off.self.onCpuNs(call.selfNs) : kUnknown);
      put(SpanColumn::Waiting, waiting_, knowsSched_ ? call.off.all.waitingNs : kUnknown);
      put(SpanColumn::Preempted, preempted_, knowsSched_ ? call.off.all.preemptedNs : kUnknown);
      put(SpanColumn::Recorder, recorder_, knowsRecorder_ ? call.off.all.recorderNs : kUnknown);
      put(SpanColumn::SelfRecorder, selfRecorder_, knowsRecorder_ ? call.off.self.recorderNs : kUnknown);
    }
    if (columns_.hasAny(kTextColumns)) {
      put(SpanColumn::Arguments, arguments_, call.arguments);
      put(SpanColumn::Result, result_, call.result);
      put(SpanColumn::Values, values_, call.values);
    }
  }

  /// The rows as a chunk, valid until the next add().
  SpanChunk chunk() {
    fillThread();
    const auto of = [&](SpanColumn column, const auto &values) {
      return columns_.has(column) ? std::span(values.data(), size_) : std::span(values.data(), 0);
    };
    return {.rows = size_,
            .id = of(SpanColumn::Id, id_),
            .parentId = of(SpanColumn::ParentId, parent_),
            .ts = of(SpanColumn::Ts, ts_),
            .dur = of(SpanColumn::Dur, dur_),
            .self = of(SpanColumn::Self, self_),
            .onCpu = of(SpanColumn::OnCpu, onCpu_),
            .waiting = of(SpanColumn::Waiting, waiting_),
            .preempted = of(SpanColumn::Preempted, preempted_),
            .recorder = of(SpanColumn::Recorder, recorder_),
            .selfRecorder = of(SpanColumn::SelfRecorder, selfRecorder_),
            .function = of(SpanColumn::Function, function_),
            .thread = of(SpanColumn::Thread, threads_),
            .process = of(SpanColumn::Process, processes_),
            .depth = of(SpanColumn::Depth, depth_),
            .exit = of(SpanColumn::Exit, exit_),
            .outermost = of(SpanColumn::Outermost, outermost_),
            .arguments = of(SpanColumn::Arguments, arguments_),
            .result = of(SpanColumn::Result, result_),
            .values = of(SpanColumn::Values, values_)};
  }
  /// Empty if that column was not asked for.
  std::span<uint64_t> parents() { return std::span(parent_.data(), columns_.has(SpanColumn::ParentId) ? size_ : 0); }

private:
  [[gnu::noinline]] void grow() {
    room_ = std::max<size_t>(4096, 2 * room_);
    const auto resize = [&](SpanColumn column, auto &values) {
      if (columns_.has(column))
        values.resize(room_);
    };
    resize(SpanColumn::Id, id_);
    resize(SpanColumn::ParentId, parent_);
    resize(SpanColumn::Ts, ts_);
    resize(SpanColumn::Dur, dur_);
    resize(SpanColumn::Self, self_);
    resize(SpanColumn::OnCpu, onCpu_);
    resize(SpanColumn::Waiting, waiting_);
    resize(SpanColumn::Preempted, preempted_);
    resize(SpanColumn::Recorder, recorder_);
    resize(SpanColumn::SelfRecorder, selfRecorder_);
    resize(SpanColumn::Function, function_);
    resize(SpanColumn::Depth, depth_);
    resize(SpanColumn::Exit, exit_);
    resize(SpanColumn::Outermost, outermost_);
    resize(SpanColumn::Arguments, arguments_);
    resize(SpanColumn::Result, result_);
    resize(SpanColumn::Values, values_);
  }
  // The same value in all rows of a thread.
  void fillThread() {
    if (columns_.has(SpanColumn::Thread) && (filledThread_ != thread_ || threads_.size() < size_)) {
      threads_.assign(room_, thread_);
      filledThread_ = thread_;
    }
    if (columns_.has(SpanColumn::Process) && (filledProcess_ != process_ || processes_.size() < size_)) {
      processes_.assign(room_, process_);
      filledProcess_ = process_;
    }
  }

  static constexpr uint32_t kNone = ~uint32_t{0};
  SpanColumns columns_;
  const analysis::TraceTable &table_;
  uint32_t thread_ = 0, process_ = 0, filledThread_ = kNone, filledProcess_ = kNone;
  bool knowsSched_ = false, knowsRecorder_ = false;
  size_t size_ = 0, room_ = 0;
  std::vector<uint64_t> id_, parent_, ts_, dur_, self_, onCpu_, waiting_, preempted_, recorder_, selfRecorder_;
  std::vector<uint32_t> function_, depth_, threads_, processes_;
  std::vector<uint8_t> exit_, outermost_;
  std::vector<std::string> arguments_, result_, values_;
};

} // namespace ada::query
