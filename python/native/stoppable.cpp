// Reading that another thread can end.
#include "stoppable.h"

#include "model/passing_sink.h"

namespace ada::python {

namespace {

class StoppableSink : public model::PassingSink {
public:
  StoppableSink(model::TraceSink &sink, const std::atomic<bool> &flag) : PassingSink(sink), flag_(flag) {}
  Expected<void> events(const model::Batch &batch) override {
    if (flag_.load(std::memory_order_relaxed))
      return Error{.code = "E_STOPPED", .message = "reading was interrupted"};
    return sink_.events(batch);
  }

private:
  const std::atomic<bool> &flag_;
};

} // namespace

Expected<void> StoppableSource::read(model::TraceSink &sink) {
  StoppableSink stoppable(sink, *flag_);
  return source_->read(stoppable);
}

Expected<void> StoppableSource::readPart(model::TraceSink &sink, const model::ReadRequest &request) {
  StoppableSink stoppable(sink, *flag_);
  return source_->readPart(stoppable, request);
}

std::unique_ptr<model::TraceSource> StoppableSource::another() const {
  auto other = source_->another();
  return other ? std::make_unique<StoppableSource>(std::move(other), flag_) : nullptr;
}

} // namespace ada::python
