// When a thread did not run its program, and why: what the system and the recorder report in addition to its calls.
#ifndef ADA_TRACE_OFF_CPU_H
#define ADA_TRACE_OFF_CPU_H

#include "ada/trace/error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada {

/// A time in which the thread did not run its program, or may not have: fromNs <= t < toNs, on the clock of its events.
struct OffCpu {
  enum class Why : uint8_t {
    Waiting,   ///< it left by itself: it slept, waited for a lock, a file, another thread
    Preempted, ///< it had work to do, but the processor went to another thread
    Unknown,   ///< the system's records of this time were lost, or there are none: it may have run for some of it
    Recorder,  ///< the recorder held it up, on-CPU or off-CPU
  };
  uint64_t fromNs = 0, toNs = 0;
  Why why = Why::Waiting;
  uint32_t processor : 24 = 0; ///< which one it left
  uint32_t heldFor : 8 = 0;    ///< of Recorder: why, as in docs/formats/sched.md; 0 if that is not known
  uint64_t durationNs() const { return toNs - fromNs; }
};

/// "waiting", "preempted", "recorder", "unknown".
constexpr std::string_view offCpuName(OffCpu::Why why) {
  switch (why) {
  case OffCpu::Why::Waiting:
    return "waiting";
  case OffCpu::Why::Preempted:
    return "preempted";
  case OffCpu::Why::Recorder:
    return "recorder";
  case OffCpu::Why::Unknown:
    break;
  }
  return "unknown";
}

/// A time in which the thread was on-CPU, and where.
struct OnCpu {
  uint64_t fromNs = 0, toNs = 0;
  uint32_t processor = 0;
  bool operator==(const OnCpu &) const = default;
};

/// Page faults of a thread since the ones before: where it touched memory for the first time, for example.
struct PageFaults {
  uint64_t lastNs = 0; ///< when the last of them was
  uint32_t count = 0;
  bool operator==(const PageFaults &) const = default;
};

/// Sums of such times. With the on-CPU time they add up to the whole time.
struct OffCpuTimes {
  uint64_t waitingNs = 0, preemptedNs = 0, recorderNs = 0, unknownNs = 0;
  void add(OffCpu::Why why, uint64_t ns) { of(why) += ns; }
  OffCpuTimes &operator+=(const OffCpuTimes &other) {
    waitingNs += other.waitingNs, preemptedNs += other.preemptedNs;
    recorderNs += other.recorderNs, unknownNs += other.unknownNs;
    return *this;
  }
  /// `other` must be a part of this sum.
  OffCpuTimes &operator-=(const OffCpuTimes &other) {
    waitingNs -= other.waitingNs, preemptedNs -= other.preemptedNs;
    recorderNs -= other.recorderNs, unknownNs -= other.unknownNs;
    return *this;
  }
  bool operator==(const OffCpuTimes &) const = default;
  /// The time for which the program was certainly off-CPU.
  uint64_t sumNs() const { return waitingNs + preemptedNs; }
  /// How much of self time of `selfNs` without the recorder's, in which these times lie, was certainly on-CPU.
  uint64_t onCpuNs(uint64_t selfNs) const {
    const uint64_t other = sumNs() + unknownNs;
    return selfNs > other ? selfNs - other : 0;
  }
  /// All the time that must not count as running.
  uint64_t notRunningNs() const { return sumNs() + recorderNs + unknownNs; }

private:
  uint64_t &of(OffCpu::Why why) {
    switch (why) {
    case OffCpu::Why::Waiting:
      return waitingNs;
    case OffCpu::Why::Preempted:
      return preemptedNs;
    case OffCpu::Why::Recorder:
      return recorderNs;
    case OffCpu::Why::Unknown:
      break;
    }
    return unknownNs;
  }
};

/// All such times of a thread. Immutable; may be used by several threads.
class OffCpuLane {
public:
  /// Reads a file of docs/formats/sched.md. A file that was cut off, or is still being written, ends with its last
  /// whole record. Errors: E_IO, E_TRUNCATED, E_BAD_MAGIC, E_BAD_VERSION. Memory: 48 bytes per period.
  static Expected<std::shared_ptr<const OffCpuLane>> open(const std::string &path);
  /// Takes periods in order, which must not overlap and must lie in the known time;
  /// those of the recorder may lie anywhere. Page faults may come in any order; nothing if they are not known.
  OffCpuLane(std::vector<OffCpu> periods, uint64_t fromNs, uint64_t toNs, bool isSchedKnown = true,
             std::vector<OnCpu> runs = {}, std::optional<std::vector<PageFaults>> faults = {});

  /// By time. The last one may continue beyond the known time: then its end is knownToNs().
  std::span<const OffCpu> periods() const { return std::span(periods_).subspan(first_, count_); }
  /// The same, plus the unknown times before and after them: Why::Unknown, from 0 and to 2^64-1.
  std::span<const OffCpu> all() const { return periods_; }
  /// Calls use(const OffCpu &) for each of all(), of which the first and the last, if they are the unknown times
  /// outside, are cut to fromNs <= t < toNs: for lists, in which nothing would look like on-CPU.
  template <class Use> void each(uint64_t fromNs, uint64_t toNs, Use &&use) const {
    for (size_t i = 0; i < periods_.size(); ++i) {
      OffCpu off = periods_[i];
      if (i < first_ || i >= first_ + count_)
        off.fromNs = std::max(off.fromNs, fromNs), off.toNs = std::min(off.toNs, toNs);
      if (off.fromNs < off.toNs)
        use(static_cast<const OffCpu &>(off));
    }
  }
  /// Those of all() that overlap fromNs <= t < toNs.
  std::span<const OffCpu> between(uint64_t fromNs, uint64_t toNs) const;
  /// Whether the system reported when the thread was on-CPU. If not, only the recorder's times are here,
  /// and it is not known whether the thread ran at other times.
  bool isSchedKnown() const { return isSchedKnown_; }
  /// From when to when anything is known, which begins with the system's first record about the thread; outside, the
  /// thread may have been off as well.
  uint64_t knownFromNs() const { return fromNs_; }
  uint64_t knownToNs() const { return toNs_; }
  /// The times for which it is known on which processor it was, by time. Times of the recorder may lie inside.
  std::span<const OnCpu> runs() const { return runs_; }
  /// Whether the system reported page faults.
  bool knowsFaults() const { return faults_.has_value(); }
  /// By time, without those that came while the recorder held the thread up.
  std::span<const PageFaults> faults() const { return faults_ ? std::span(*faults_) : std::span<const PageFaults>(); }
  /// How many there were in fromNs <= t < toNs, about: what is reported at a time counts there.
  uint64_t faultsBetween(uint64_t fromNs, uint64_t toNs) const;
  /// Sums of what lies in fromNs <= t < toNs.
  OffCpuTimes timesBetween(uint64_t fromNs, uint64_t toNs) const;

private:
  OffCpuTimes timesUntil(uint64_t ns) const;

  std::vector<OffCpu> periods_; // all
  std::vector<OnCpu> runs_;
  std::optional<std::vector<PageFaults>> faults_;
  size_t first_ = 0, count_ = 0;  // the part that periods() returns
  std::vector<OffCpuTimes> sums_; // of all periods before every 64th one
  uint64_t fromNs_, toNs_;
  bool isSchedKnown_;
};

} // namespace ada

#endif // ADA_TRACE_OFF_CPU_H
