// Sums of the calls of a function in a span of time, for ClickHouse's table `aggregates` (schema.h).
#pragma once

#include "ada/trace/calls.h"
#include "ada/trace/off_cpu.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ada::formats {

/// The off-CPU times of one thread. The middle of a period decides which calls it belongs to, as in
/// analysis/calls/off_cpu_follower.h. Memory: 32 bytes per period.
class OffCpuSums {
public:
  OffCpuSums() = default;
  explicit OffCpuSums(std::shared_ptr<const OffCpuLane> lane) : lane_(std::move(lane)) {
    OffCpuTimes sum;
    sums_.push_back(sum);
    for (const OffCpu &off : lane_->periods()) {
      sum.add(off.why, off.durationNs());
      sums_.push_back(sum);
    }
  }
  /// The off-CPU times of a call, from its begin to its end.
  OffCpuTimes between(uint64_t beginNs, uint64_t endNs) const {
    if (!lane_)
      return {};
    const OffCpuTimes &before = until(beginNs), &all = until(std::max(beginNs, endNs));
    OffCpuTimes times = all;
    times -= before;
    times.unknownNs = lane_->timesBetween(beginNs, endNs).unknownNs; // also outside of what is known
    return times;
  }

private:
  const OffCpuTimes &until(uint64_t ns) const {
    const auto isBefore = [ns](const OffCpu &off) { return off.fromNs + off.durationNs() / 2 <= ns; };
    const auto periods = lane_->periods();
    return sums_[static_cast<size_t>(std::partition_point(periods.begin(), periods.end(), isBefore) - periods.begin())];
  }

  std::shared_ptr<const OffCpuLane> lane_;
  std::vector<OffCpuTimes> sums_; // of the first n periods
};

struct CallSum {
  uint64_t calls = 0, totalNs = 0, selfNs = 0;
  OffCpuTimes off, selfOff;
  uint64_t exceptions = 0, inferred = 0, missing = 0, open = 0;
  uint64_t shortestNs = 0, longestNs = 0; ///< of calls that have both ends
  std::map<uint64_t, uint64_t> durations; ///< of these calls: their number by duration, see rounded()

  /// Equal for durations that Distribution (ada/trace/statistics.h) doesn't distinguish: off by at most 1/128, and
  /// exact below 128 ns.
  static uint64_t rounded(uint64_t durationNs) {
    const int shift = std::max(0, static_cast<int>(std::bit_width(durationNs)) - 7);
    return shift == 0 ? durationNs : (durationNs >> shift << shift) + (uint64_t{1} << (shift - 1));
  }
};

/// Memory: see size().
class CallSums {
public:
  struct Key {
    uint64_t beginNs = 0;
    uint32_t function = 0, process = 0;
    auto operator<=>(const Key &) const = default;
  };

  void add(const Key &key, const Span &span, const OffCpuTimes &off, const OffCpuTimes &selfOff) {
    CallSum &sum = sums_[key];
    ++sum.calls;
    sum.selfNs += span.selfNs();
    sum.selfOff += selfOff;
    if (span.outermost) {
      sum.totalNs += span.durationNs();
      sum.off += off;
    }
    sum.exceptions += span.how == SpanEnd::Exception;
    sum.inferred += span.how == SpanEnd::Inferred;
    sum.missing += span.how == SpanEnd::Missing;
    sum.open += span.how == SpanEnd::Open;
    if (!isSeen(span.how))
      return;
    const uint64_t duration = span.durationNs();
    sum.shortestNs = sum.durations.empty() ? duration : std::min(sum.shortestNs, duration);
    sum.longestNs = std::max(sum.longestNs, duration);
    durations_ += ++sum.durations[CallSum::rounded(duration)] == 1;
  }
  /// The number of sums and distinct durations in memory.
  size_t size() const { return sums_.size() + durations_; }
  /// Returns all sums, ordered by key, and starts again with none.
  std::vector<std::pair<Key, CallSum>> take() {
    std::vector<std::pair<Key, CallSum>> all(std::make_move_iterator(sums_.begin()),
                                             std::make_move_iterator(sums_.end()));
    std::ranges::sort(all, {}, &std::pair<Key, CallSum>::first);
    sums_.clear();
    durations_ = 0;
    return all;
  }

private:
  struct Hash {
    size_t operator()(const Key &key) const {
      return (key.beginNs ^ (uint64_t{key.function} << 32 | key.process)) * 0x9e3779b97f4a7c15 >> 7;
    }
  };
  std::unordered_map<Key, CallSum, Hash> sums_;
  size_t durations_ = 0;
};

} // namespace ada::formats
