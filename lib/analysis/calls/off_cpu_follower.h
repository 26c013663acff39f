// Finds when a thread was not running its program between two of its events.
#pragma once

#include "ada/trace/off_cpu.h"

#include <algorithm>

namespace ada::analysis {

/// Follows one thread's OffCpuLane::all() as its events come. The times that it reports lie between the two events, so
/// they never add up to more than the time between them. An event costs only a comparison.
///
/// An off-CPU time lies between two events, because a thread that is off-CPU records nothing. The clocks of events and
/// off-CPU times may differ a little, so the middle of an off-CPU time decides which two events it lies between, and
/// whatever sticks out is cut off. If an event lies well inside an off-CPU time, the scheduling records are incomplete
/// there, and the time counts as unknown. Recorder times and unknown times may contain events; they are reported in
/// pieces.
class OffCpuFollower {
public:
  OffCpuFollower() = default;
  /// Reports only what lies in fromNs <= t < toNs. `lane` may be null; otherwise it must outlive this. Times of events
  /// are off by at most `errorNs`.
  OffCpuFollower(const OffCpuLane *lane, uint64_t fromNs, uint64_t toNs, uint64_t errorNs = 0)
      : fromNs_(fromNs), toNs_(toNs), errorNs_(std::max(kErrorNs, errorNs)) {
    if (lane)
      rest_ = lane->between(fromNs, toNs);
    next();
  }
  /// Skips what lies before an event at `ns`: it is not of interest, or is accounted for elsewhere.
  void skipTo(uint64_t ns) {
    if (hasNext_ && next_.toNs <= ns) {
      const auto isOver = [ns](const OffCpu &off) { return off.toNs <= ns; };
      rest_ =
          rest_.subspan(static_cast<size_t>(std::partition_point(rest_.begin(), rest_.end(), isOver) - rest_.begin()));
      next();
    }
    take(ns, ns, [](const OffCpu &) {});
  }
  /// Whether take() has anything to report at an event at `ns`.
  bool isDue(uint64_t ns) const { return ns >= dueNs_; }
  /// Calls use(const OffCpu &) for each time that lies between the previous event, at `beforeNs`, and an event at `ns`.
  template <class Use> void take(uint64_t beforeNs, uint64_t ns, Use &&use) {
    while (isDue(ns) && hasNext_) {
      OffCpu off = next_;
      const bool isAtEnd = ns >= off.toNs - slackNs_;
      if (isOffCpu(off) && !isAtEnd)
        off.why = next_.why = OffCpu::Why::Unknown;
      if (isAtEnd) {
        next();
      } else {
        next_.fromNs = ns;
        dueNs_ = ns + 1;
      }
      off.fromNs = std::max({off.fromNs, fromNs_, beforeNs}), off.toNs = std::min({off.toNs, toNs_, ns});
      if (off.fromNs < off.toNs)
        use(static_cast<const OffCpu &>(off));
    }
  }
  /// The same for what is known after the last event, which was at `beforeNs`.
  template <class Use> void takeRest(uint64_t beforeNs, Use &&use) {
    for (; hasNext_; next())
      if (next_.toNs != ~uint64_t(0)) {
        OffCpu off = next_;
        off.fromNs = std::max({off.fromNs, fromNs_, beforeNs}), off.toNs = std::min(off.toNs, toNs_);
        if (off.fromNs < off.toNs)
          use(static_cast<const OffCpu &>(off));
      }
  }

private:
  static constexpr uint64_t kErrorNs = 10'000;

  static bool isOffCpu(const OffCpu &off) {
    return off.why == OffCpu::Why::Waiting || off.why == OffCpu::Why::Preempted;
  }
  void next() {
    hasNext_ = !rest_.empty();
    if (!hasNext_) {
      dueNs_ = ~uint64_t(0);
      return;
    }
    next_ = rest_.front();
    rest_ = rest_.subspan(1);
    slackNs_ = isOffCpu(next_) ? std::min(next_.durationNs() / 2, errorNs_) : 0;
    dueNs_ = next_.fromNs + (isOffCpu(next_) ? slackNs_ : 1);
  }

  std::span<const OffCpu> rest_; // after next_
  OffCpu next_;
  bool hasNext_ = false;
  uint64_t fromNs_ = 0, toNs_ = ~uint64_t(0), errorNs_ = kErrorNs;
  uint64_t slackNs_ = 0; // an event no further than this inside next_ counts as at its edge
  uint64_t dueNs_ = ~uint64_t(0);
};

} // namespace ada::analysis
