// Says, between two events of a thread, when it did not run its program there.
#ifndef ADA_LIB_ANALYSIS_OFF_CPU_FOLLOWER_H
#define ADA_LIB_ANALYSIS_OFF_CPU_FOLLOWER_H

#include "ada/trace/off_cpu.h"

#include <algorithm>

namespace ada::analysis {

/// Goes along one thread's OffCpuLane::all() as its events come. What it tells of lies between the two events, so it
/// never adds up to more than the time between them. Cheap: an event costs a comparison.
///
/// A time without a processor lies between two events, because a thread without a processor records nothing. The clocks
/// of both may differ a little, so the middle decides between which two, and what sticks out is cut off. If an
/// event lies well inside such a time, the system's records are not complete there: then it counts as unknown.
/// Times of the recorder, and unknown ones, may have events in them: they are told of in pieces.
class OffCpuFollower {
public:
  OffCpuFollower() = default;
  /// Only what lies in fromNs <= t < toNs is told of. `lane`: null for none; must outlive this otherwise. Times of
  /// events are off by no more than `errorNs`.
  OffCpuFollower(const OffCpuLane *lane, uint64_t fromNs, uint64_t toNs, uint64_t errorNs = 0)
      : fromNs_(fromNs), toNs_(toNs), errorNs_(std::max(kErrorNs, errorNs)) {
    if (lane)
      rest_ = lane->between(fromNs, toNs);
    next();
  }
  /// What lies before an event at that time was of no interest, or somebody else's.
  void skipTo(uint64_t ns) {
    if (hasNext_ && next_.toNs <= ns) {
      const auto isOver = [ns](const OffCpu &off) { return off.toNs <= ns; };
      rest_ =
          rest_.subspan(static_cast<size_t>(std::partition_point(rest_.begin(), rest_.end(), isOver) - rest_.begin()));
      next();
    }
    take(ns, ns, [](const OffCpu &) {});
  }
  /// Whether take() has anything to tell at an event at that time.
  bool isDue(uint64_t ns) const { return ns >= dueNs_; }
  /// Calls use(const OffCpu &) for each time that lies before an event at `ns`, and after the one before, at
  /// `beforeNs`.
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
  /// The same for what is known behind the last event, at `beforeNs`.
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

  std::span<const OffCpu> rest_; // behind next_
  OffCpu next_;
  bool hasNext_ = false;
  uint64_t fromNs_ = 0, toNs_ = ~uint64_t(0), errorNs_ = kErrorNs;
  uint64_t slackNs_ = 0; // an event that is no further inside of next_ is at its edge
  uint64_t dueNs_ = ~uint64_t(0);
};

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_OFF_CPU_FOLLOWER_H
