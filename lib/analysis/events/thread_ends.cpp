// How each thread of a trace ended.
#include "thread_ends.h"

#include "base/try.h"
#include "thread_calls.h"

#include <algorithm>
#include <map>
#include <memory>

namespace ada::analysis {

namespace {

class ThreadEndsWorker : public TableSink {
public:
  ThreadEndsWorker(TraceTable &table, const FilterOptions &filter, size_t recent)
      : TableSink(table), rules_(filter, table), recent_(recent) {}

  Expected<void> events(const model::Batch &batch) override {
    if (!calls_) {
      ends.emplace_back().thread = batch.events[0].thread;
      next_ = 0;
      calls_.emplace(*this, rules_, nullptr);
    }
    calls_->take(batch);
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    if (!calls_)
      return {};
    calls_->finish();
    calls_.reset();
    std::vector<EndCall> &finished = ends.back().finished;
    std::rotate(finished.begin(), finished.begin() + static_cast<ptrdiff_t>(next_), finished.end());
    std::reverse(finished.begin(), finished.end());
    return {};
  }

  // Called by ThreadCalls.
  void begin(uint64_t, const model::Event &, bool, std::string &&) {}
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
  FunctionRules rules_;
  size_t recent_, next_ = 0;
  std::optional<ThreadCalls<ThreadEndsWorker>> calls_; // of the current thread
};

} // namespace

Expected<ThreadEnds> readThreadEnds(model::TraceSource &source, const TraceTable &table,
                                    const std::vector<uint32_t> &threads, const FilterOptions &filter, size_t recent) {
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
      source, table, partsOf(source, table, threads),
      [&](TraceTable &own) { return std::make_unique<ThreadEndsWorker>(own, filter, recent); }, take, ends.damage));
  for (const uint32_t thread : threads) {
    found[thread].thread = thread;
    ends.threads.push_back(std::move(found[thread]));
  }
  return ends;
}

} // namespace ada::analysis
