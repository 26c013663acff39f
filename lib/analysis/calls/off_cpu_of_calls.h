// When the calls of a thread were off-CPU.
#pragma once

#include "ada/trace/calls.h"
#include "analysis/events/trace_table.h"
#include "off_cpu_follower.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ada::analysis {

/// The time in a call during which the program was not running: all of it, and the part outside the calls that it made.
struct OffCpuOfCall {
  OffCpuTimes all, self;
  OffCpuOfCall &operator+=(const OffCpuOfCall &other) {
    all += other.all, self += other.self;
    return *this;
  }
  /// Adds time in which this was the innermost call.
  void add(const OffCpu &off) {
    all.add(off.why, off.durationNs());
    self.add(off.why, off.durationNs());
  }
};

/// Follows a thread's off-CPU times. All of them count, whatever the time range, because all the time of a call counts,
/// too.
inline OffCpuFollower followerOf(const TraceTable &table, uint32_t thread) {
  const model::Thread &about = table.threads[thread];
  return OffCpuFollower(about.offCpu.get(), 0, ~uint64_t(0), 2 * table.processOf(about).resolutionNs);
}

/// The times of a thread's open calls. Time between two events belongs to the innermost call; the calls around it get
/// it when that ends.
class OffCpuOfCalls {
public:
  /// Takes what lies between two events, at `beforeNs` and `ns`. `open`: how many calls are open between them.
  [[gnu::noinline]] void take(OffCpuFollower &follower, uint64_t beforeNs, uint64_t ns, size_t open) {
    calls_.resize(open);
    follower.take(beforeNs, ns, [&](const OffCpu &off) {
      if (!calls_.empty())
        calls_.back().add(off);
    });
  }
  /// Before the thread's first event, at `firstNs`, which comes in calls that began before the trace did: their times
  /// until then count in the total, but not in their own.
  [[gnu::noinline]] void takeEarlier(const OffCpuLane &lane, std::span<const Span> open, uint64_t firstNs) {
    if (open.empty())
      return;
    calls_.resize(open.size());
    for (size_t i = 0; i < open.size(); ++i)
      calls_[i].all += lane.timesBetween(open[i].beginNs, i + 1 < open.size() ? open[i + 1].beginNs : firstNs);
  }

  /// Whether the open call at that depth was off-CPU, or may have been.
  bool has(uint32_t depth) const { return depth < calls_.size(); }
  OffCpuOfCall of(uint32_t depth) const { return has(depth) ? calls_[depth] : OffCpuOfCall(); }
  /// The times of the innermost call, which ends and has(). Valid until the next call ends.
  const OffCpuOfCall &ended(uint32_t depth) {
    ended_ = calls_[depth];
    calls_.resize(depth);
    if (depth > 0)
      calls_.back().all += ended_.all;
    return ended_;
  }
  /// Calls stay open, but no more comes: each gets what the calls inside it have.
  void sumUp() {
    for (size_t i = calls_.size(); i > 1; --i)
      calls_[i - 2].all += calls_[i - 1].all;
  }
  void clear() { calls_.clear(); }

private:
  OffCpuOfCall ended_;
  std::vector<OffCpuOfCall> calls_; // by depth, down to the deepest call that was off-CPU
};

} // namespace ada::analysis
