// The live line of adatrace convert and load.
#pragma once

#include "convert_output.h"
#include "terminal/terminal.h"

#include "trace/passing_sink.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace ada::cli {

/// A progress line on standard error.
class ConvertLine {
public:
  /// From here on, the first interrupting signal is kept for
  /// interruption(), and the second one ends the program.
  explicit ConvertLine(When when, const char *verb = "converting");
  ~ConvertLine() { clear(); }

  /// `done` returns "1,234 events, 1.2 M/s"; it is called only if the line is drawn. `part`: 0 to 1.
  template <class Done> void update(Done &&done, std::optional<double> part) {
    if (wanted_ && isDue())
      draw(done(), part);
  }
  void clear(); ///< may be called by any thread
  uint64_t nanoseconds() const;
  /// The signal that interrupted, or 0.
  static int interruption();
  /// Ends the program as that signal would have done, but leaves no partial output behind.
  [[noreturn]] static void endInterrupted(std::optional<ConvertOutput> &out);

private:
  bool isDue();
  void draw(const std::string &done, std::optional<double> part);
  const char *verb_;
  bool wanted_ = false;
  std::mutex mutex_; // protects the members below
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

/// Passes everything on, counts it, updates the line, and stops when the user interrupts.
class ConvertProgress : public model::PassingSink {
public:
  ConvertProgress(model::TraceSource &source, model::TraceSink &sink, ConvertLine &line)
      : PassingSink(sink), source_(source), line_(line) {}

  Expected<void> events(const model::Batch &batch) override;

  uint64_t eventCount() const { return count_; }

private:
  model::TraceSource &source_;
  ConvertLine &line_;
  uint64_t count_ = 0;
};

} // namespace ada::cli
