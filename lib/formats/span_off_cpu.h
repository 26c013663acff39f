// When the calls of a thread were off-CPU, for sinks that write calls: as reports count it.
#pragma once

#include "ada/trace/calls.h"
#include "ada/trace/model.h"
#include "analysis/calls/off_cpu_of_calls.h"

#include <memory>
#include <span>

namespace ada::formats {

/// Follows one thread.
class SpanOffCpu {
public:
  /// `table` must have the thread, whose off-CPU times are known.
  SpanOffCpu(const analysis::TraceTable &table, const model::Thread &thread)
      : lane_(thread.offCpu), isSchedKnown_(thread.knowsSched()), follower_(analysis::followerOf(table, thread.index)) {
  }

  bool isSchedKnown() const { return isSchedKnown_; }
  /// Before each event, with the calls that are open until then, outermost first.
  void next(const model::Event &event, std::span<const Span> open) {
    if (event.isEarlier)
      return;
    if (lastNs_ == 0) {
      follower_.skipTo(event.timeNs);
      open_.takeEarlier(*lane_, open, event.timeNs);
    }
    if (follower_.isDue(event.timeNs))
      open_.take(follower_, lastNs_, event.timeNs, open.size());
    lastNs_ = event.timeNs;
  }
  /// The times of the innermost call, which ends.
  analysis::OffCpuOfCall end(uint32_t depth) {
    return open_.has(depth) ? open_.ended(depth) : analysis::OffCpuOfCall();
  }

private:
  std::shared_ptr<const OffCpuLane> lane_;
  bool isSchedKnown_;
  analysis::OffCpuFollower follower_;
  analysis::OffCpuOfCalls open_;
  uint64_t lastNs_ = 0; // of the last event
};

} // namespace ada::formats
