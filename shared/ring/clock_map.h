// Converts counter values to nanoseconds by interpolating between anchors.
//
// An anchor is a pair (counter, CLOCK_BOOTTIME) read at the same moment. Between two anchors the counter is assumed to
// run evenly; the true rate changes only by what NTP slews (at most 500 ppm), so between anchors 10 ms apart the error
// stays far below the error of the anchors themselves. Times before the first anchor and after the last one are
// extrapolated. The drain never needs that, because it takes an anchor before each pass and leaves younger records for
// the next one. Recovery needs it for the records after the last pass.
//
// The mapping is monotonic: anchors are, and each segment is rounded towards its start.
#pragma once

#include "shared/ring/ring_file.h"
#include "shared/wide.h"

namespace ada::ring {

class ClockMap {
public:
  // A stretch of the map, for code that converts many counters: a copy of it stays valid until the next update().
  struct Segment {
    uint64_t from = 1, to = 0; // counters that it covers
    ada_anchor base = {0, 0};
    uint64_t nsPerTick = 1ull << 32; // 32.32 fixed point

    // Whether after() may be called: the counter is covered and not before the base.
    bool isAfterBase(uint64_t counter) const { return counter >= base.counter && counter >= from && counter < to; }
    uint64_t after(uint64_t counter) const { return base.time_ns + scaled(counter - base.counter); }
    uint64_t scaled(uint64_t ticks) const { return static_cast<uint64_t>((Wide{ticks} * nsPerTick) >> 32); }
  };

  // `anchors` is a circular array of ADA_RING_ANCHORS entries, owned by the caller; `used` counts all that were ever
  // stored, and those before number `from` are no longer of use. Call update() whenever anchors were added.
  void update(const ada_anchor *anchors, uint64_t used, uint64_t from = 0) {
    anchors_ = anchors;
    used_ = used;
    first_ = used > ADA_RING_ANCHORS ? used - ADA_RING_ANCHORS : 0;
    first_ = from > first_ && from <= used ? from : first_;
    segment_ = Segment(); // none
  }

  // Nanoseconds of CLOCK_BOOTTIME. With no anchor at all the counter is returned as it is.
  uint64_t toNanoseconds(uint64_t counter) {
    if (counter < segment_.from || counter >= segment_.to)
      findSegment(counter);
    if (counter >= segment_.base.counter)
      return segment_.after(counter);
    uint64_t back = segment_.scaled(segment_.base.counter - counter);
    return back < segment_.base.time_ns ? segment_.base.time_ns - back : 0;
  }

  // How far the counter goes in that time, at its recent rate.
  uint64_t countsIn(uint64_t ns) {
    toNanoseconds(used_ > first_ ? at(used_ - 1).counter : 0);
    return segment_.nsPerTick ? static_cast<uint64_t>((Wide{ns} << 32) / segment_.nsPerTick) : ns;
  }

  // The segment of the counter that was converted last.
  const Segment &segment() const { return segment_; }

private:
  const ada_anchor &at(uint64_t n) const { return anchors_[n % ADA_RING_ANCHORS]; }

  // Caches the segment that covers `counter`, searching from the newest: that is where records are.
  void findSegment(uint64_t counter) {
    Segment &s = segment_;
    if (used_ == first_) {
      s = {0, UINT64_MAX, {0, 0}, 1ull << 32};
      return;
    }
    uint64_t last = used_ - 1;
    if (last == first_ || counter >= at(last).counter) {
      // After the last anchor: the rate over a second, if there was one. Anchors follow each other quickly when the
      // drain is busy, and on a busy machine each may be off by milliseconds, which would be most of a short stretch.
      uint64_t early = last;
      for (uint64_t step = 1; early > first_ && at(last).time_ns - at(early).time_ns < kSecond; step *= 2)
        early = early - first_ > step ? early - step : first_;
      setRate(at(early), at(last));
      s.base = at(last), s.from = at(last).counter, s.to = UINT64_MAX;
      if (counter < s.from)
        s.from = 0, s.to = at(last).counter;
      return;
    }
    uint64_t n = last;
    while (n > first_ + 1 && counter < at(n - 1).counter)
      --n;
    setRate(at(n - 1), at(n));
    s.base = at(n - 1);
    s.from = n - 1 == first_ ? 0 : s.base.counter;
    s.to = at(n).counter;
  }

  static constexpr uint64_t kSecond = 1000000000;

  void setRate(const ada_anchor &a, const ada_anchor &b) {
    uint64_t ticks = b.counter - a.counter, ns = b.time_ns - a.time_ns;
    segment_.nsPerTick = ticks ? static_cast<uint64_t>((Wide{ns} << 32) / ticks) : 1ull << 32;
  }

  const ada_anchor *anchors_ = nullptr;
  uint64_t used_ = 0, first_ = 0;
  Segment segment_;
};

} // namespace ada::ring
