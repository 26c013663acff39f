// Says, between two events of a thread, when it had no processor there.
#ifndef ADA_LIB_ANALYSIS_OFF_CPU_FOLLOWER_H
#define ADA_LIB_ANALYSIS_OFF_CPU_FOLLOWER_H

#include "ada/trace/off_cpu.h"

#include <algorithm>

namespace ada::analysis {

/// Goes along one thread's times without a processor as its events come. Such a time lies between two events, because a
/// thread without a processor records nothing. The clocks of both may differ by some nanoseconds, so the middle of it
/// decides between which two. Cheap: an event costs a comparison.
class OffCpuFollower {
public:
  OffCpuFollower() = default;
  /// Only what lies in fromNs <= t < toNs is told of. `lane`: null for none; must outlive this otherwise.
  OffCpuFollower(const OffCpuLane *lane, uint64_t fromNs, uint64_t toNs) : fromNs_(fromNs), toNs_(toNs) {
    if (lane)
      rest_ = lane->between(fromNs, toNs);
    findDue();
  }
  /// What lies before an event at that time was of no interest, or somebody else's.
  void skipTo(uint64_t ns) {
    const auto isBefore = [ns](const OffCpu &off) { return middleOf(off) <= ns; };
    rest_ =
        rest_.subspan(static_cast<size_t>(std::partition_point(rest_.begin(), rest_.end(), isBefore) - rest_.begin()));
    findDue();
  }
  /// Whether take() has anything to tell at an event at that time.
  bool isDue(uint64_t ns) const { return ns >= dueNs_; }
  /// Calls use(const OffCpu &) for each time that lies before an event at `ns`, and after the one before.
  template <class Use> void take(uint64_t ns, Use &&use) {
    for (; isDue(ns) && !rest_.empty(); findDue()) {
      OffCpu off = rest_.front();
      rest_ = rest_.subspan(1);
      off.fromNs = std::max(off.fromNs, fromNs_), off.toNs = std::min(off.toNs, toNs_);
      use(static_cast<const OffCpu &>(off));
    }
  }

private:
  static uint64_t middleOf(const OffCpu &off) { return off.fromNs + off.durationNs() / 2; }
  void findDue() { dueNs_ = rest_.empty() ? ~uint64_t(0) : middleOf(rest_.front()); }

  std::span<const OffCpu> rest_;
  uint64_t fromNs_ = 0, toNs_ = ~uint64_t(0), dueNs_ = ~uint64_t(0);
};

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_OFF_CPU_FOLLOWER_H
