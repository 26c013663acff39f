// Times in which a thread did not run its program, and their sums.
#include "ada/trace/off_cpu.h"

#include <algorithm>

namespace ada {

constexpr size_t kStep = 64;
constexpr uint64_t kNever = ~uint64_t{0};

OffCpuLane::OffCpuLane(std::vector<OffCpu> periods, uint64_t fromNs, uint64_t toNs, bool isSchedKnown,
                       std::vector<OnCpu> runs, std::optional<std::vector<PageFaults>> faults)
    : runs_(std::move(runs)), fromNs_(fromNs), toNs_(std::max(fromNs, toNs)), isSchedKnown_(isSchedKnown) {
  periods_.reserve(periods.size() + 2);
  first_ = isSchedKnown_ && fromNs_ > 0 && (periods.empty() || periods.front().fromNs > 0);
  uint64_t at = 0;
  const auto addUnknown = [&](uint64_t from, uint64_t to) {
    if (isSchedKnown_ && from < to)
      periods_.push_back({from, to, OffCpu::Why::Unknown, 0});
  };
  // The time between two periods that is outside the known time.
  const auto fillTo = [&](uint64_t ns) {
    addUnknown(at, std::min(ns, fromNs_));
    addUnknown(std::max(at, toNs_), ns);
  };
  for (const OffCpu &off : periods) {
    fillTo(off.fromNs);
    periods_.push_back(off);
    at = off.toNs;
    count_ = periods_.size() - first_;
  }
  fillTo(kNever);
  OffCpuTimes sum;
  for (size_t i = 0; i < periods_.size(); ++i) {
    if (i % kStep == 0)
      sums_.push_back(sum);
    sum.add(periods_[i].why, periods_[i].durationNs());
  }
  if (isSchedKnown_ && faults) {
    std::erase_if(*faults, [&](const PageFaults &of) {
      const auto off = between(of.lastNs, of.lastNs + 1);
      return !off.empty() && off.front().why == OffCpu::Why::Recorder;
    });
    std::ranges::stable_sort(*faults, {}, &PageFaults::lastNs);
    faults_ = std::move(faults);
  }
}

uint64_t OffCpuLane::faultsBetween(uint64_t fromNs, uint64_t toNs) const {
  uint64_t count = 0;
  const auto all = faults();
  for (auto at = std::ranges::lower_bound(all, fromNs, {}, &PageFaults::lastNs); at != all.end() && at->lastNs < toNs;
       ++at)
    count += at->count;
  return count;
}

std::span<const OffCpu> OffCpuLane::between(uint64_t fromNs, uint64_t toNs) const {
  const auto first = std::ranges::upper_bound(periods_, fromNs, {}, &OffCpu::toNs);
  const auto last = std::ranges::lower_bound(first, periods_.end(), toNs, {}, &OffCpu::fromNs);
  return {first, last};
}

OffCpuTimes OffCpuLane::timesUntil(uint64_t ns) const {
  const auto next = std::ranges::lower_bound(periods_, ns, {}, &OffCpu::fromNs);
  const size_t count = static_cast<size_t>(next - periods_.begin());
  OffCpuTimes sum;
  if (count == 0)
    return sum;
  const size_t step = (count - 1) / kStep;
  sum = sums_[step];
  for (size_t i = step * kStep; i < count; ++i)
    sum.add(periods_[i].why, std::min(periods_[i].toNs, ns) - periods_[i].fromNs);
  return sum;
}

OffCpuTimes OffCpuLane::timesBetween(uint64_t fromNs, uint64_t toNs) const {
  if (toNs <= fromNs)
    return {};
  OffCpuTimes times = timesUntil(toNs);
  times -= timesUntil(fromNs);
  return times;
}

} // namespace ada
