// The common part of sinks for formats with one row per call: a row is complete when its call has ended.
#pragma once

#include "ada/trace/columns.h"
#include "formats/export_sink.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ada::formats {

/// Memory: the open calls, with their arguments.
class RowSink : public ExportSink {
public:
  explicit RowSink(Wants wants = Wants::Values) : ExportSink(wants) {}

protected:
  struct Row {
    uint64_t id = 0, parent = 0; ///< from 1, in the order of the begins in the source; parent 0: none
    uint64_t root = 0;           ///< the outermost call around it, which may be itself
    /// The same for the call in every interface, and whatever was left out: thread and number of the event that began
    /// it (query::spanId()). The sink must want numbers.
    uint64_t spanId = 0, parentSpanId = 0;
    uint32_t thread = 0;
    uint64_t way = 0; ///< what wayOf() returned
    const Span &span; ///< functionIndex is the function's number
    std::string_view arguments = {}, result = {}, values = {};
    std::string_view argumentsJson = {}, valuesJson = {}; ///< with `lists`
  };
  /// The rows of a thread come in the order in which its calls ended.
  virtual void writeRow(const Row &row) = 0;

  /// A number for how a call was reached, made from the number of the call around it (0: none).
  virtual uint64_t wayOf(const Call &, uint64_t /*around*/) { return 0; }

  /// The innermost open call; 0 if there is none.
  uint64_t openCall(uint32_t thread) const {
    return thread < open_.size() && !open_[thread].empty() ? open_[thread].back().id : 0;
  }

  /// The same as Row::spanId.
  uint64_t openSpan(uint32_t thread) const {
    return thread < open_.size() && !open_[thread].empty() ? open_[thread].back().spanId : 0;
  }

  /// The number of open calls.
  size_t openCalls(uint32_t thread) const { return thread < open_.size() ? open_[thread].size() : 0; }
  /// The same as Row::spanId, of a call or of a point.
  template <class Begin> uint64_t spanIdOf(const Begin &begin) const {
    const uint32_t index = thread(begin.thread).indexInTrace;
    return begin.seq == Span::kNoSeq ? query::earlierSpanId(index, begin.depth) : query::spanId(index, begin.seq);
  }

private:
  struct OpenCall {
    uint64_t id, spanId, way;
    std::string arguments, json;
  };

  void beginCall(const Call &call) final {
    if (call.thread >= open_.size())
      open_.resize(call.thread + size_t{1});
    std::vector<OpenCall> &open = open_[call.thread];
    const uint64_t way = wayOf(call, open.empty() ? 0 : open.back().way);
    open.push_back({++calls_, spanIdOf(call), way, std::string(call.arguments), std::string(call.json)});
  }
  void endCall(const End &end) final {
    std::vector<OpenCall> &open = open_[end.thread];
    const OpenCall call = std::move(open.back());
    const uint64_t root = open.front().id;
    open.pop_back();
    writeRow({.id = call.id,
              .parent = openCall(end.thread),
              .root = root,
              .spanId = call.spanId,
              .parentSpanId = open.empty() ? 0 : open.back().spanId,
              .thread = end.thread,
              .way = call.way,
              .span = end.span,
              .arguments = call.arguments,
              .result = end.result,
              .values = end.values,
              .argumentsJson = call.json,
              .valuesJson = end.json});
  }

  std::vector<std::vector<OpenCall>> open_; // by thread, outermost call first
  uint64_t calls_ = 0;
};

} // namespace ada::formats
