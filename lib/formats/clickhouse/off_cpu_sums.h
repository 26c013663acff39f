// Times without a processor up to a moment, for calls that are known when they end.
#ifndef ADA_LIB_FORMATS_CLICKHOUSE_OFF_CPU_SUMS_H
#define ADA_LIB_FORMATS_CLICKHOUSE_OFF_CPU_SUMS_H

#include "ada/trace/off_cpu.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace ada::model {

/// Of one thread. Which calls such a time belongs to is decided by its middle, as in analysis/off_cpu_follower.h.
/// Memory: 32 bytes for each of the times.
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
  /// Of a call from its begin to its end.
  OffCpuTimes between(std::uint64_t beginNs, std::uint64_t endNs) const {
    if (!lane_)
      return {};
    const OffCpuTimes &before = until(beginNs), &all = until(std::max(beginNs, endNs));
    OffCpuTimes times = all;
    times -= before;
    return times;
  }

private:
  const OffCpuTimes &until(std::uint64_t ns) const {
    const auto isBefore = [ns](const OffCpu &off) { return off.fromNs + off.durationNs() / 2 <= ns; };
    const auto periods = lane_->periods();
    return sums_[static_cast<std::size_t>(std::partition_point(periods.begin(), periods.end(), isBefore) -
                                          periods.begin())];
  }

  std::shared_ptr<const OffCpuLane> lane_;
  std::vector<OffCpuTimes> sums_; // of the first n
};

} // namespace ada::model

#endif // ADA_LIB_FORMATS_CLICKHOUSE_OFF_CPU_SUMS_H
