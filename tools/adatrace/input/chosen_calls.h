// Passes only the calls that the user asked for on to a sink.
#pragma once

#include "analysis/calls/duration_sink.h"
#include "analysis/calls/part_sink.h"

#include <optional>

namespace ada::cli {

class ChosenCalls {
public:
  /// `part` and `sink` must outlive this. Calls shorter than `minDurationNs` are left out; part.calls has no minimum
  /// duration of its own.
  ChosenCalls(const analysis::PartOptions &part, uint64_t minDurationNs, model::TraceSink &sink) : first_(&sink) {
    if (minDurationNs)
      first_ = &longOnes_.emplace(minDurationNs, sink);
    if (!part.isEverything())
      first_ = &part_.emplace(part, *first_);
  }
  ChosenCalls(const ChosenCalls &) = delete;

  model::TraceSink &sink() { return *first_; }
  bool isPart() const { return part_ || longOnes_; }
  const std::optional<analysis::PartSink> &part() const { return part_; }
  uint64_t tooShort() const { return longOnes_ ? longOnes_->leftOut() : 0; }

private:
  std::optional<analysis::DurationSink> longOnes_;
  std::optional<analysis::PartSink> part_;
  model::TraceSink *first_;
};

} // namespace ada::cli
