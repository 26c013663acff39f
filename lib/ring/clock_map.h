// clock_map.h - converts counter values to nanoseconds by interpolating between anchors.
//
// An anchor is a pair (counter, CLOCK_BOOTTIME) read at the same moment. Between two anchors the counter is taken to run
// evenly; the true rate changes only by what NTP slews (at most 500 ppm), so between anchors 10 ms apart the error
// stays far below the error of the anchors themselves. Times before the first anchor and after the last one are
// extrapolated; the drain never needs that, because it takes an anchor before each pass and leaves younger records to the next one;
// recovery needs it for what was recorded after the last pass.
//
// The mapping is monotonic: anchors are, and each segment is rounded towards its start.
#ifndef ADA_LIB_RING_CLOCK_MAP_H
#define ADA_LIB_RING_CLOCK_MAP_H

#include <ada/ring_file.h>

namespace ada::ring {

class ClockMap {
public:
  // `anchors` is a circular array of ADA_RING_ANCHORS entries, owned by the caller; `used` counts all that were ever stored.
  // Call update() whenever anchors were added.
  void update(const ada_anchor *anchors, uint64_t used) {
    anchors_ = anchors;
    used_ = used;
    first_ = used > ADA_RING_ANCHORS ? used - ADA_RING_ANCHORS : 0;
    from_ = 1, to_ = 0; // no segment cached
  }

  // Nanoseconds of CLOCK_BOOTTIME. With no anchor at all the counter is returned as it is.
  uint64_t toNanoseconds(uint64_t counter) {
    if (counter < from_ || counter >= to_)
      findSegment(counter);
    if (counter >= base_.counter)
      return base_.time_ns + scaled(counter - base_.counter);
    uint64_t back = scaled(base_.counter - counter);
    return back < base_.time_ns ? base_.time_ns - back : 0;
  }

private:
  const ada_anchor &at(uint64_t n) const { return anchors_[n % ADA_RING_ANCHORS]; }

  uint64_t scaled(uint64_t ticks) const {
    return (uint64_t)(((unsigned __int128)ticks * nsPerTick_) >> 32);
  }

  // Caches the segment that covers `counter`, searching from the newest: that is where records are.
  void findSegment(uint64_t counter) {
    if (used_ == first_) {
      base_ = {0, 0}, nsPerTick_ = 1ull << 32, from_ = 0, to_ = UINT64_MAX;
      return;
    }
    uint64_t last = used_ - 1;
    if (last == first_ || counter >= at(last).counter) {
      // After the last anchor: the rate over a longer stretch, for a short one carries the anchors' own error.
      uint64_t early = last - first_ > 64 ? last - 64 : first_;
      setRate(at(early), at(last));
      base_ = at(last), from_ = at(last).counter, to_ = UINT64_MAX;
      if (counter < from_)
        from_ = 0, to_ = at(last).counter;
      return;
    }
    uint64_t n = last;
    while (n > first_ + 1 && counter < at(n - 1).counter)
      --n;
    setRate(at(n - 1), at(n));
    base_ = at(n - 1);
    from_ = n - 1 == first_ ? 0 : base_.counter;
    to_ = at(n).counter;
  }

  void setRate(const ada_anchor &a, const ada_anchor &b) {
    uint64_t ticks = b.counter - a.counter, ns = b.time_ns - a.time_ns;
    nsPerTick_ = ticks ? (uint64_t)(((unsigned __int128)ns << 32) / ticks) : 1ull << 32;
  }

  const ada_anchor *anchors_ = nullptr;
  uint64_t used_ = 0, first_ = 0;
  ada_anchor base_ = {0, 0};
  uint64_t from_ = 1, to_ = 0;         // counters for which base_ and nsPerTick_ hold
  uint64_t nsPerTick_ = 1ull << 32;    // 32.32 fixed point
};

} // namespace ada::ring
#endif
