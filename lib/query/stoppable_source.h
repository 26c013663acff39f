// A source whose reading can be stopped.
#pragma once

#include "ada/trace/model.h"
#include "analysis/events/early_end.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace ada::query {

/// Its reading ends with an error for which analysis::isEarlyEnd() holds when `stop` becomes true.
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

} // namespace ada::query
