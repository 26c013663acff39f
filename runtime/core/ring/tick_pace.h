// How often the ticker of clock=tick advances its word.
//
// It advances it every 20 µs if a processor is idle. If none is, each advance takes the processor from a thread of the
// program, or from the drain that the program waits for, and costs more than it is worth: then the interval doubles, up
// to 16 times the shortest. A period that the user has asked for stays.
#pragma once

#include <stdint.h>

namespace ada::runtime {

class TickPace {
public:
  static constexpr uint64_t kMaxTimes = 16;

  enum class Period {
    Adapted,
    Fixed, // the user has asked for it
  };
  // With one processor it begins at its slowest.
  void start(uint64_t leastNs, Period period, unsigned processors) {
    leastNs_ = leastNs, mostNs_ = period == Period::Fixed ? leastNs : leastNs * kMaxTimes;
    ns_ = processors == 1 ? mostNs_ : leastNs_;
  }
  // The interval between two advances.
  uint64_t ns() const { return ns_; }
  // Adapts to what happened in `spentNs`: `ticks` advances, and `switches` involuntary context switches of the
  // process's threads. False if the ticker should pause, because it gets no processor.
  bool adapt(uint64_t ticks, uint64_t switches, uint64_t spentNs) {
    const bool isLate = ticks * ns_ * 4 < spentNs;
    if (isLate || switches * 2 > ticks) {
      if (ns_ == mostNs_)
        return !isLate;
      ns_ = ns_ * 2 < mostNs_ ? ns_ * 2 : mostNs_;
    } else if (switches * 8 < ticks)
      ns_ = ns_ / 2 > leastNs_ ? ns_ / 2 : leastNs_;
    return true;
  }

private:
  uint64_t leastNs_ = 0, mostNs_ = 0, ns_ = 0;
};

} // namespace ada::runtime
