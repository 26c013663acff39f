// What functions, threads and processes cost.
#include "trace_totals.h"

#include "analysis/events/early_end.h"
#include "analysis/report/report.h"
#include "base/try.h"

#include <numeric>
#include <utility>

namespace ada::query {

namespace {

// A source whose reading can be stopped.
class StoppableSource : public model::TraceSource {
public:
  StoppableSource(std::unique_ptr<model::TraceSource> source, const std::atomic<bool> &stop)
      : source_(std::move(source)), stop_(stop) {}
  Expected<void> read(model::TraceSink &sink) override { return readPart(sink, {}); }
  bool isThreadwise() const override { return true; }
  Expected<void> readPart(model::TraceSink &sink, const model::ReadRequest &request) override {
    Passing passing(sink, stop_);
    return source_->readPart(passing, request);
  }
  std::unique_ptr<model::TraceSource> another() const override {
    return std::make_unique<StoppableSource>(source_->another(), stop_);
  }
  std::vector<uint64_t> cuts(uint32_t thread, size_t pieces) const override { return source_->cuts(thread, pieces); }
  std::optional<model::Prints> prints(uint32_t process) const override { return source_->prints(process); }
  model::Function functionOf(uint32_t process, uint64_t id) const override { return source_->functionOf(process, id); }
  const std::vector<Error> &problems() const override { return source_->problems(); }
  const std::vector<Warning> &warnings() const override { return source_->warnings(); }

private:
  struct Passing : model::TraceSink {
    Passing(model::TraceSink &sink, const std::atomic<bool> &stop) : sink(sink), stop(stop) {}
    Expected<void> begin(const model::TraceInfo &info) override { return sink.begin(info); }
    Expected<void> addProcess(const model::Process &process) override { return sink.addProcess(process); }
    Expected<void> addThread(const model::Thread &thread) override { return sink.addThread(thread); }
    Expected<void> addFunction(const model::Function &function) override { return sink.addFunction(function); }
    Expected<void> events(const model::Batch &batch) override {
      return stop ? Expected<void>(analysis::earlyEnd()) : sink.events(batch);
    }
    Expected<void> endThread(uint32_t thread) override { return sink.endThread(thread); }
    Expected<void> finish() override { return sink.finish(); }
    bool wantsDetails() const override { return sink.wantsDetails(); }
    model::TraceSink &sink;
    const std::atomic<bool> &stop;
  };

  std::unique_ptr<model::TraceSource> source_;
  const std::atomic<bool> &stop_;
};

} // namespace

Expected<TraceTotals> totalsOf(SharedTrace &trace, const std::atomic<bool> &stop) {
  const analysis::TraceTable &table = trace.plainTable();
  StoppableSource source(trace.plainSource(), stop);
  std::vector<uint32_t> threads(table.threads.size());
  std::iota(threads.begin(), threads.end(), uint32_t{0});
  const auto report = ADA_TRY(analysis::makeReport(source, table, threads, {.by = analysis::ReportBy::Thread}));
  TraceTotals totals;
  totals.threads.resize(table.threads.size());
  totals.processes.resize(table.processes.size());
  for (const analysis::ReportRow &row : report.rows) {
    const uint32_t function = trace.numberOfNew(*row.function);
    if (function >= totals.functions.size())
      totals.functions.resize(function + size_t{1});
    totals.functions[function].merge(row.figures);
    const ThreadTotals sums = {row.figures.calls, row.figures.selfNs, row.figures.selfOff};
    totals.threads[*row.thread] += sums;
    totals.processes[row.process] += sums;
  }
  totals.functions.resize(std::max(totals.functions.size(), trace.functions().size()));
  trace.addDamage(report.damage.problems, report.damage.warnings);
  return totals;
}

} // namespace ada::query
