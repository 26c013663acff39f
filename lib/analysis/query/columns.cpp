// The calls of a trace as columns.
#include "ada/trace/columns.h"

#include "span_read.h"
#include "trace/base/try.h"

namespace ada::query {

namespace {

class TraceSpans : public SpanTable {
public:
  explicit TraceSpans(std::unique_ptr<SharedTrace> trace) : trace_(std::move(trace)) {}
  const std::vector<model::Process> &processes() const override { return trace_->table().processes; }
  const std::vector<model::Thread> &threads() const override { return trace_->table().threads; }
  const std::deque<model::Function> &functions() const override { return trace_->functions(); }
  Expected<void> read(const SpanRequest &request, const std::function<bool(const SpanChunk &)> &visit) override {
    return SpanRead(*trace_, request, visit).run();
  }
  std::vector<Error> problems() const override { return trace_->problems(); }
  std::vector<Warning> warnings() const override { return trace_->warnings(); }

private:
  std::unique_ptr<SharedTrace> trace_;
};

} // namespace

SpanTable::~SpanTable() = default;

Expected<std::unique_ptr<SpanTable>> SpanTable::open(std::unique_ptr<model::TraceSource> source) {
  return std::unique_ptr<SpanTable>(std::make_unique<TraceSpans>(ADA_TRY(SharedTrace::open(std::move(source)))));
}

} // namespace ada::query
