//===- convert_progress.h - the live line of adatrace convert -------------===//
#ifndef ADATRACE_CONVERT_PROGRESS_H
#define ADATRACE_CONVERT_PROGRESS_H

#include "ada/trace/model.h"

#include <chrono>
#include <string>

namespace ada::cli {

/// A line on standard error that says how far a conversion is.
class ConvertLine {
public:
  /// `mode`: auto (on a terminal), always or never. From here on the first
  /// signal that interrupts is kept for interruption(), and the second one ends
  /// the program.
  explicit ConvertLine(const std::string &mode);
  ~ConvertLine() { clear(); }

  /// `done`: "1,234 events, 1.2 M/s", made only if the line is drawn. `part`: 0
  /// to 1.
  template <class Done> void update(Done &&done, std::optional<double> part) {
    if (wanted && isDue())
      draw(done(), part);
  }
  void clear();
  uint64_t nanoseconds() const;
  /// The signal that interrupted, or 0.
  static int interruption();

private:
  bool isDue();
  void draw(const std::string &done, std::optional<double> part);
  bool wanted = false, drawn = false;
  std::chrono::steady_clock::time_point start, last;
};

/// Hands everything on, counts, keeps the line, and stops when the user
/// interrupts.
class ConvertProgress : public model::TraceSink {
public:
  ConvertProgress(model::TraceSource &source, model::TraceSink &sink,
                  ConvertLine &line)
      : source(source), sink(sink), line(line) {}

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
  Expected<void> endThread(uint32_t thread) override {
    return sink.endThread(thread);
  }
  Expected<void> finish() override { return sink.finish(); }
  bool needsRange() const override { return sink.needsRange(); }
  bool wantsDetails() const override { return sink.wantsDetails(); }

  uint64_t eventCount() const { return count; }

private:
  model::TraceSource &source;
  model::TraceSink &sink;
  ConvertLine &line;
  uint64_t count = 0;
};

} // namespace ada::cli
#endif // ADATRACE_CONVERT_PROGRESS_H
