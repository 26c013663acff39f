//===- convert_filter.h - a part of a trace, for adatrace convert ---------===//
#ifndef ADATRACE_CONVERT_FILTER_H
#define ADATRACE_CONVERT_FILTER_H

#include "call_filter.h"

#include "ada/trace/model.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

/// --from or --to as a time: on the trace's clock, or since its first event.
struct TimeBound {
  bool isAbsolute = false;
  uint64_t ns = 0;
  /// "10us", "1.5ms", "@123456789"; nothing if it is anything else.
  static std::optional<TimeBound> parse(const std::string &text);
};

struct ConvertFilterOptions {
  FilterOptions calls;
  std::vector<std::string> threads;
  std::optional<TimeBound> from, to;

  bool passesAll() const {
    return calls.showsAll() && threads.empty() && !from && !to;
  }
};

/// Hands the chosen part of a trace on: whole calls that overlap the range of
/// time, of the chosen threads and functions.
class ConvertFilter : public model::TraceSink {
public:
  ConvertFilter(const ConvertFilterOptions &options, model::TraceSink &sink);
  ~ConvertFilter() override;

  Expected<void> begin(const model::TraceInfo &info) override;
  Expected<void> addProcess(const model::Process &process) override;
  Expected<void> addThread(const model::Thread &thread) override;
  Expected<void> addFunction(const model::Function &function) override;
  Expected<void> events(const model::Batch &batch) override;
  Expected<void> endThread(uint32_t thread) override;
  Expected<void> finish() override;
  bool needsRange() const override;
  bool wantsDetails() const override { return sink.wantsDetails(); }

  /// False if --thread named none. After finish().
  bool anyThread() const;

private:
  struct ThreadState;
  Expected<void> decide(ThreadState &thread);
  Expected<void> decideAll();
  Expected<void> take(ThreadState &thread, const model::Event &event,
                      const model::Batch &batch);
  bool enter(ThreadState &thread, const model::Event &event);
  bool leave(ThreadState &thread, const model::Event &event);
  Expected<void> release(ThreadState &thread, const model::Batch &batch);
  Expected<void> emit(const model::Batch &batch);
  Expected<void> renumber(model::Event &event);

  const ConvertFilterOptions &options;
  model::TraceSink &sink;
  uint64_t from = 0, to = ~uint64_t(0);
  bool decided = false;
  std::vector<std::unique_ptr<ThreadState>> threads;
  std::vector<uint8_t> flags; // of functions
  // Functions are announced when the first chosen event is about them.
  std::vector<model::Function> functions;
  std::vector<uint32_t> renumbered;
  uint32_t chosenFunctions = 0;
  uint32_t chosenThreads = 0;
  std::vector<model::Event> chosen; // of the current batch
};

} // namespace ada::cli
#endif // ADATRACE_CONVERT_FILTER_H
