// Reading that another thread can end.
#pragma once

#include "ada/trace/model.h"

#include <atomic>
#include <memory>
#include <utility>

namespace ada::python {

using StopFlag = std::shared_ptr<std::atomic<bool>>;

/// A source whose reads end with E_STOPPED after the flag was set, at the next batch of events.
class StoppableSource : public model::TraceSource {
public:
  StoppableSource(std::unique_ptr<model::TraceSource> source, StopFlag flag)
      : source_(std::move(source)), flag_(std::move(flag)) {}

  Expected<void> read(model::TraceSink &sink) override;
  bool isThreadwise() const override { return source_->isThreadwise(); }
  Expected<void> readPart(model::TraceSink &sink, const model::ReadRequest &request) override;
  std::unique_ptr<model::TraceSource> another() const override;
  std::vector<uint64_t> cuts(uint32_t thread, size_t pieces) const override { return source_->cuts(thread, pieces); }
  std::optional<model::Prints> prints(uint32_t process) const override { return source_->prints(process); }
  model::Function functionOf(uint32_t process, uint64_t id) const override { return source_->functionOf(process, id); }
  Expected<void> makeRepeatable() override { return source_->makeRepeatable(); }
  bool knowsRange() const override { return source_->knowsRange(); }
  std::optional<double> progress() const override { return source_->progress(); }
  const std::vector<Error> &problems() const override { return source_->problems(); }
  const std::vector<Warning> &warnings() const override { return source_->warnings(); }
  std::vector<model::Loss> losses() const override { return source_->losses(); }

private:
  std::unique_ptr<model::TraceSource> source_;
  StopFlag flag_;
};

} // namespace ada::python
