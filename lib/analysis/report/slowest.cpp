// The calls of a trace that took longest, one by one.
#include "slowest.h"

#include "analysis/calls/call_sink.h"
#include "analysis/calls/value_reader.h"
#include "trace/base/try.h"

#include <algorithm>
#include <tuple>

namespace ada::analysis {

namespace {

// Longer calls first; of equally long ones, the earlier one.
bool isSlower(const SlowCall &a, const SlowCall &b) {
  const uint64_t left = a.span.durationNs(), right = b.span.durationNs();
  return left != right ? left > right
                       : std::tie(a.span.beginNs, a.thread, a.span.beginSeq) <
                             std::tie(b.span.beginNs, b.thread, b.span.beginSeq);
}

class Slowest : public CallSink<Slowest> {
public:
  Slowest(TraceTable &table, const FilterOptions &filter, size_t limit) : CallSink(table, filter), limit_(limit) {}

  void end(const Span &span, bool shown, std::string &&) {
    if (shown)
      add({.span = span, .thread = thread_, .arguments = {}, .result = {}});
  }

  std::vector<SlowCall> sorted() && {
    std::sort_heap(heap_.begin(), heap_.end(), isSlower);
    return std::move(heap_);
  }

private:
  void add(const SlowCall &call) {
    if (heap_.size() == limit_) {
      if (limit_ == 0 || !isSlower(call, heap_.front()))
        return;
      std::pop_heap(heap_.begin(), heap_.end(), isSlower);
      heap_.pop_back();
    }
    heap_.push_back(call);
    std::push_heap(heap_.begin(), heap_.end(), isSlower);
  }

  size_t limit_;
  std::vector<SlowCall> heap_; // the fastest of them is on top
};

} // namespace

Expected<std::vector<SlowCall>> slowestCalls(const Trace &trace, const FilterOptions &filter, size_t limit,
                                             bool values) {
  Slowest slowest(trace.table, filter, limit);
  model::ReadRequest request;
  request.threads = trace.threads;
  request.isFurther = true;
  ADA_TRY(trace.source.readPart(slowest, request));
  std::vector<SlowCall> calls = std::move(slowest).sorted();
  ValueReader reader(trace.source, trace.table);
  for (SlowCall &call : calls) {
    if (!values)
      break;
    auto read = ADA_TRY(reader.of(call.thread, call.span));
    call.arguments = std::move(read.arguments);
    call.result = std::move(read.result);
  }
  return calls;
}

} // namespace ada::analysis
