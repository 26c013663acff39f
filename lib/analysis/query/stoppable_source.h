// A source whose reading another thread can end.
#pragma once

#include "ada/trace/model.h"
#include "analysis/events/early_end.h"
#include "trace/passing_sink.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace ada::query {

using StopFlag = std::shared_ptr<std::atomic<bool>>;

/// When the flag is set, reads end at the next batch of events, with an error for which analysis::isEarlyEnd() holds.
class StoppableSource : public model::TraceSource {
public:
  StoppableSource(std::unique_ptr<model::TraceSource> source, std::shared_ptr<const std::atomic<bool>> flag)
      : source_(std::move(source)), flag_(std::move(flag)) {}
  /// `flag` must outlive this and its others.
  StoppableSource(std::unique_ptr<model::TraceSource> source, const std::atomic<bool> &flag)
      : StoppableSource(std::move(source), {std::shared_ptr<void>(), &flag}) {}

  Expected<void> read(model::TraceSink &sink) override {
    Stoppable stoppable(sink, *flag_);
    return source_->read(stoppable);
  }
  bool isThreadwise() const override { return source_->isThreadwise(); }
  Expected<void> readPart(model::TraceSink &sink, const model::ReadRequest &request) override {
    Stoppable stoppable(sink, *flag_);
    return source_->readPart(stoppable, request);
  }
  std::unique_ptr<model::TraceSource> another() const override {
    auto other = source_->another();
    return other ? std::make_unique<StoppableSource>(std::move(other), flag_) : nullptr;
  }
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
  class Stoppable : public model::PassingSink {
  public:
    Stoppable(model::TraceSink &sink, const std::atomic<bool> &flag) : PassingSink(sink), flag_(flag) {}
    Expected<void> events(const model::Batch &batch) override {
      return flag_.load(std::memory_order_relaxed) ? Expected<void>(analysis::earlyEnd()) : sink_.events(batch);
    }

  private:
    const std::atomic<bool> &flag_;
  };

  std::unique_ptr<model::TraceSource> source_;
  std::shared_ptr<const std::atomic<bool>> flag_;
};

} // namespace ada::query
