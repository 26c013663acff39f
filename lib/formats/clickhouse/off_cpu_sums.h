// Sums of off-CPU times up to a point in time, for calls that are known only when they end.
#ifndef ADA_LIB_FORMATS_CLICKHOUSE_OFF_CPU_SUMS_H
#define ADA_LIB_FORMATS_CLICKHOUSE_OFF_CPU_SUMS_H

#include "ada/trace/off_cpu.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace ada::model {

/// The off-CPU times of one thread. The middle of a period decides which calls it belongs to, as in
/// analysis/waits/off_cpu_follower.h. Memory: 32 bytes per period.
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

} // namespace ada::model

#endif // ADA_LIB_FORMATS_CLICKHOUSE_OFF_CPU_SUMS_H
