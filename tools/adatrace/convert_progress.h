//===- convert_progress.h - the live line of adatrace convert -------------===//
#ifndef ADATRACE_CONVERT_PROGRESS_H
#define ADATRACE_CONVERT_PROGRESS_H

#include "ada/trace/model.h"

#include <chrono>
#include <string>

namespace ada::cli {

/// Hands everything on, counts, draws a line on standard error now and then, and stops
/// when the user interrupts.
class ConvertProgress : public model::TraceSink {
public:
  /// `mode`: auto (on a terminal), always or never.
  ConvertProgress(model::TraceSource &source, model::TraceSink &sink,
                  const std::string &mode);
  ~ConvertProgress() override { clear(); }

  Expected<void> begin(const model::TraceInfo &info) override {
    return sink.begin(info);
  }
  Expected<void> addProcess(const model::Process &process) override {
    return sink.addProcess(process);
  }
  Expected<void> addThread(const model::Thread &thread) override {
    return sink.addThread(thread);
  }
  Expected<void> addFunction(const model::Function &function) override {
    return sink.addFunction(function);
  }
  Expected<void> events(const model::Batch &batch) override;
  Expected<void> endThread(uint32_t thread) override { return sink.endThread(thread); }
  Expected<void> finish() override { return sink.finish(); }
  bool needsRange() const override { return sink.needsRange(); }
  bool wantsDetails() const override { return sink.wantsDetails(); }

  uint64_t eventCount() const { return count; }
  uint64_t nanoseconds() const;
  void clear();
  /// The signal that interrupted, or 0.
  static int interruption();

private:
  void draw();

  model::TraceSource &source;
  model::TraceSink &sink;
  bool wanted = false, drawn = false;
  uint64_t count = 0;
  std::chrono::steady_clock::time_point start, last;
};

} // namespace ada::cli
#endif // ADATRACE_CONVERT_PROGRESS_H
