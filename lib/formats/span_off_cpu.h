// When the calls of a thread were off-CPU, for sinks that write calls: as reports count it.
#pragma once

#include "ada/trace/calls.h"
#include "ada/trace/model.h"
#include "analysis/report/report_parts.h"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ada::model {

/// Follows one thread. The time between two events belongs to the innermost call, and the calls around it get it when
/// that ends.
class SpanOffCpu {
public:
  /// `table` must have the thread, whose off-CPU times are known.
  SpanOffCpu(const analysis::TraceTable &table, const Thread &thread)
      : lane_(thread.offCpu), isSchedKnown_(thread.knowsSched()), follower_(analysis::followerOf(table, thread.index)) {
  }

  bool isSchedKnown() const { return isSchedKnown_; }
  /// Before each event, with the calls that are open until then, outermost first.
  void next(const Event &event, std::span<const Span> open) {
    if (event.isEarlier)
      return;
    if (lastNs_ == 0) { // all the time counts of calls that began before the trace did
      follower_.skipTo(event.timeNs);
      open_.resize(open.size());
      for (size_t i = 0; i < open.size(); ++i)
        open_[i].all += lane_->timesBetween(open[i].beginNs, i + 1 < open.size() ? open[i + 1].beginNs : event.timeNs);
    }
    if (follower_.isDue(event.timeNs)) {
      open_.resize(open.size());
      follower_.take(lastNs_, event.timeNs, [&](const ada::OffCpu &time) {
        if (!open_.empty())
          open_.back().add(time);
      });
    }
    lastNs_ = event.timeNs;
  }
  /// The times of the innermost call, which ends.
  analysis::OffCpuOfCall end(uint32_t depth) {
    analysis::OffCpuOfCall times;
    if (depth < open_.size()) {
      times = open_[depth];
      open_.resize(depth);
      if (depth > 0)
        open_.back().all += times.all;
    }
    return times;
  }

private:
  std::shared_ptr<const OffCpuLane> lane_;
  bool isSchedKnown_;
  analysis::OffCpuFollower follower_;
  uint64_t lastNs_ = 0;                      // of the last event
  std::vector<analysis::OffCpuOfCall> open_; // by depth, down to the deepest call that was off-CPU
};

} // namespace ada::model
