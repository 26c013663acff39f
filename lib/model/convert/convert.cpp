// Connects a source with a sink, and finds the range of times where the sink
// needs it and the source can't say.
#include "ada/trace/convert.h"

#include <algorithm>

namespace ada::model {

TraceSink::~TraceSink() = default;
TraceSource::~TraceSource() = default;

namespace {

class RangeFinder : public TraceSink {
public:
  Expected<void> events(const Batch &batch) override {
    for (const Event &event : batch.events) {
      low = std::min(low, event.timeNs);
      high = std::max(high, event.timeNs);
    }
    return {};
  }
  std::optional<std::pair<std::uint64_t, std::uint64_t>> range() const {
    if (low > high)
      return std::nullopt;
    return std::pair(low, high);
  }

private:
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
};

// Hands everything on, and tells begin() the range.
class RangeTeller : public TraceSink {
public:
  using Range = std::optional<std::pair<std::uint64_t, std::uint64_t>>;
  RangeTeller(TraceSink &sink, Range range) : sink(sink), range(range) {}

  Expected<void> begin(const TraceInfo &info) override {
    TraceInfo told = info;
    told.range = range;
    return sink.begin(told);
  }
  Expected<void> addProcess(const Process &process) override {
    return sink.addProcess(process);
  }
  Expected<void> addThread(const Thread &thread) override {
    return sink.addThread(thread);
  }
  Expected<void> addFunction(const Function &function) override {
    return sink.addFunction(function);
  }
  Expected<void> events(const Batch &batch) override {
    return sink.events(batch);
  }
  Expected<void> endThread(std::uint32_t thread) override {
    return sink.endThread(thread);
  }
  Expected<void> finish() override { return sink.finish(); }
  bool wantsDetails() const override { return sink.wantsDetails(); }

private:
  TraceSink &sink;
  Range range;
};

} // namespace

Expected<void> convert(TraceSource &source, TraceSink &sink) {
  if (!sink.needsRange() || source.knowsRange())
    return source.read(sink);
  if (auto ready = source.makeRepeatable(); !ready)
    return ready;
  RangeFinder finder;
  if (auto done = source.read(finder); !done)
    return done;
  RangeTeller teller(sink, finder.range());
  return source.read(teller);
}

} // namespace ada::model
