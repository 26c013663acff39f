// How each thread of a trace ended.
#include "thread_ends.h"

#include "call_sink.h"
#include "trace/base/try.h"

#include <algorithm>
#include <map>
#include <memory>

namespace ada::analysis {

namespace {

class ThreadEndsWorker : public CallSink<ThreadEndsWorker> {
public:
  ThreadEndsWorker(TraceTable &table, const FilterOptions &filter, size_t recent)
      : CallSink(table, filter), recent_(recent) {}

  // Called by CallSink.
  void threadBegins() {
    ends.emplace_back().thread = thread_;
    next_ = 0;
  }
  void threadEnds() {
    std::vector<EndCall> &finished = ends.back().finished;
    std::rotate(finished.begin(), finished.begin() + static_cast<ptrdiff_t>(next_), finished.end());
    std::reverse(finished.begin(), finished.end());
  }
  void end(const Span &span, bool shown, std::string &&) {
    if (!shown)
      return;
    std::vector<EndCall> &finished = ends.back().finished;
    if (span.how == SpanEnd::Open)
      ends.back().open.push_back({span, {}});
    else if (finished.size() < recent_)
      finished.push_back({span, {}});
    else if (recent_) {
      finished[next_].span = span; // the oldest
      next_ = (next_ + 1) % recent_;
    }
  }

  std::vector<ThreadEnd> ends;

private:
  size_t recent_, next_ = 0;
};

} // namespace

Expected<ThreadEnds> readThreadEnds(const Trace &trace, const FilterOptions &filter, size_t recent) {
  ThreadEnds ends;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers; // of functions, by process and id
  std::map<uint32_t, ThreadEnd> found;
  const auto take = [&](ThreadEndsWorker &worker) {
    const auto renumber = [&](std::vector<EndCall> &calls) {
      for (EndCall &call : calls) {
        const model::Function &function = worker.table().functions[call.span.functionIndex];
        const auto [at, isNew] =
            numbers.try_emplace({function.process, function.id}, static_cast<uint32_t>(ends.functions.size()));
        if (isNew)
          ends.functions.push_back(function);
        call.span.functionIndex = at->second;
      }
    };
    for (ThreadEnd &end : worker.ends) {
      renumber(end.open);
      renumber(end.finished);
      found[end.thread] = std::move(end);
    }
  };
  ADA_TRY(readParts<ThreadEndsWorker>(
      trace, partsOf(trace), [&](TraceTable &own) { return std::make_unique<ThreadEndsWorker>(own, filter, recent); },
      take, ends.damage));
  for (const uint32_t thread : trace.threads) {
    found[thread].thread = thread;
    ends.threads.push_back(std::move(found[thread]));
  }
  return ends;
}

} // namespace ada::analysis
