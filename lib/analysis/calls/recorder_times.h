// Finds when the recorder held a thread up between two of its events.
#pragma once

#include "ada/trace/off_cpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ada::analysis {

/// Follows one thread's lane as its events come. An event costs a comparison.
class RecorderTimes {
public:
  RecorderTimes() = default;
  /// `lane` may be null; otherwise it must outlive this.
  explicit RecorderTimes(const OffCpuLane *lane) {
    if (lane)
      rest_ = lane->all();
    dueNs_ = rest_.empty() ? kNever : 0;
  }
  /// Whether takeUntil() may have anything to report.
  bool isDue(uint64_t ns) const { return ns > dueNs_; }
  /// Calls use(fromNs, toNs) for each time between the previous event and an event at `ns`. Nothing is reported before
  /// the first event.
  template <class Use> void takeUntil(uint64_t ns, Use &&use) {
    if (!std::exchange(hasBegun_, true)) {
      const auto isOver = [ns](const OffCpu &off) { return off.toNs <= ns; };
      rest_ =
          rest_.subspan(static_cast<size_t>(std::partition_point(rest_.begin(), rest_.end(), isOver) - rest_.begin()));
      toldNs_ = ns;
    }
    for (; !rest_.empty() && rest_.front().fromNs < ns; rest_ = rest_.subspan(1)) {
      const OffCpu &off = rest_.front();
      const uint64_t fromNs = std::max(off.fromNs, toldNs_), toNs = std::min(off.toNs, ns);
      if (off.why == OffCpu::Why::Recorder && fromNs < toNs)
        use(fromNs, toNs);
      if (off.toNs > ns)
        break;
    }
    toldNs_ = std::max(toldNs_, ns);
    dueNs_ = rest_.empty() ? kNever : std::max(rest_.front().fromNs, toldNs_);
  }

private:
  static constexpr uint64_t kNever = ~uint64_t{0};
  std::span<const OffCpu> rest_;
  uint64_t toldNs_ = 0, dueNs_ = kNever;
  bool hasBegun_ = false;
};

} // namespace ada::analysis
