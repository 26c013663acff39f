// Times without a processor, and their sums.
#include "ada/trace/off_cpu.h"

#include <algorithm>
#include <utility>

namespace ada {

constexpr std::size_t kStep = 64;

OffCpuLane::OffCpuLane(std::vector<OffCpu> periods, std::uint64_t fromNs, std::uint64_t toNs, std::uint64_t switches,
                       std::uint64_t beganNs)
    : periods_(std::move(periods)), fromNs_(fromNs), toNs_(toNs), switches_(switches), beganNs_(beganNs) {
  OffCpuTimes sum;
  for (std::size_t i = 0; i < periods_.size(); ++i) {
    if (i % kStep == 0)
      sums_.push_back(sum);
    sum.add(periods_[i].why, periods_[i].durationNs());
  }
}

std::span<const OffCpu> OffCpuLane::between(std::uint64_t fromNs, std::uint64_t toNs) const {
  const auto first = std::ranges::upper_bound(periods_, fromNs, {}, &OffCpu::toNs);
  const auto last = std::ranges::lower_bound(first, periods_.end(), toNs, {}, &OffCpu::fromNs);
  return {first, last};
}

OffCpuTimes OffCpuLane::timesUntil(std::uint64_t ns) const {
  const auto next = std::ranges::lower_bound(periods_, ns, {}, &OffCpu::fromNs);
  const std::size_t count = static_cast<std::size_t>(next - periods_.begin());
  OffCpuTimes sum;
  if (count == 0)
    return sum;
  const std::size_t step = (count - 1) / kStep;
  sum = sums_[step];
  for (std::size_t i = step * kStep; i < count; ++i)
    sum.add(periods_[i].why, std::min(periods_[i].toNs, ns) - periods_[i].fromNs);
  return sum;
}

OffCpuTimes OffCpuLane::timesBetween(std::uint64_t fromNs, std::uint64_t toNs) const {
  if (toNs <= fromNs)
    return {};
  const OffCpuTimes before = timesUntil(fromNs), until = timesUntil(toNs);
  return {until.waitingNs - before.waitingNs, until.preemptedNs - before.preemptedNs};
}

} // namespace ada
