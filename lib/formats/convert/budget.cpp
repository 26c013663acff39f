// Finds which calls have to be left out so that an output does not become too large.
#include "budget.h"

#include "analysis/calls/call_reader.h"
#include "analysis/calls/duration_sink.h"
#include "trace/base/try.h"
#include "trace/passing_sink.h"
#include "trace/statistics.h"

#include <algorithm>
#include <deque>
#include <string>

namespace ada::formats {

namespace {

// Collects the durations of the calls that pass.
class DurationCollector : public model::PassingSink {
public:
  DurationCollector(model::TraceSink &sink, Distribution &durations) : PassingSink(sink), durations_(durations) {}

  Expected<void> events(const model::Batch &batch) override {
    for (const model::Event &event : batch.events) {
      while (event.thread >= calls_.size())
        calls_.emplace_back(*this);
      calls_[event.thread].take(0, event, batch);
    }
    return sink_.events(batch);
  }
  Expected<void> finish() override {
    for (auto &calls : calls_)
      calls.finish();
    return sink_.finish();
  }
  void end(const Span &call) { durations_.add(call.durationNs()); } // called by CallReader

private:
  Distribution &durations_;
  std::deque<analysis::CallReader<DurationCollector, analysis::kCallsOnly>> calls_; // by thread
};

// The size of an output of the calls that took at least `minDurationNs`.
Expected<uint64_t> sizeWith(uint64_t minDurationNs, const BudgetUse &use, Distribution *durations) {
  uint64_t size = 0;
  const auto sink = use.makeSink([&size](std::span<const std::byte> bytes) {
    size += bytes.size();
    return true;
  });
  Distribution ignored;
  DurationCollector collector(*sink, durations ? *durations : ignored);
  analysis::DurationSink longOnes(minDurationNs, durations ? static_cast<model::TraceSink &>(collector) : *sink);
  ADA_TRY(use.read(longOnes));
  return size;
}

} // namespace

Expected<uint64_t> minDurationFor(uint64_t bytes, const BudgetUse &use) {
  Distribution durations;
  uint64_t least = use.minDurationNs;
  auto size = sizeWith(least, use, &durations);
  double share = 1; // of the calls that may stay
  while (size && *size > bytes) {
    // A little less than what should fit: names and threads take space whatever is left out.
    share *= 0.97 * static_cast<double>(bytes) / static_cast<double>(*size);
    if (least > durations.max())
      return Error{.code = "E_BUDGET",
                   .message = "even without any calls, the output has " + std::to_string(*size) + " bytes, and " +
                              std::to_string(bytes) + " are allowed"};
    // Percentiles are rounded: each step leaves out more than the one before.
    least = std::max(durations.percentile(100 * (1 - share)), least + 1 + least / 128);
    size = sizeWith(least, use, nullptr);
  }
  return size ? Expected<uint64_t>(least) : Expected<uint64_t>(size.error());
}

} // namespace ada::formats
