// Which thread ran on which processor.
#include "processor_lanes.h"

#include <algorithm>

namespace ada::view {

namespace {

struct Run {
  uint64_t fromNs, toNs;
  uint32_t thread;
};

// Adds up runs that begin within the same pixel. They come in order of time.
class LaneBuilder {
public:
  LaneBuilder(uint64_t fromNs, double pixelNs, std::vector<ProcessorBox> &boxes)
      : from_(fromNs), pixelNs_(pixelNs), boxes_(boxes) {}

  void take(const Run &run) {
    const uint64_t ns = run.toNs - run.fromNs;
    const bool isShort = static_cast<double>(ns) < pixelNs_;
    const auto pixel = static_cast<uint64_t>(static_cast<double>(run.fromNs - from_) / pixelNs_);
    if (!isShort || !isOpen_ || pixel != pixel_) {
      boxes_.push_back({.fromNs = run.fromNs, .toNs = run.toNs, .runs = 0, .fillNs = 0, .thread = run.thread});
      shares_.clear();
    }
    isOpen_ = isShort, pixel_ = pixel;
    ProcessorBox &box = boxes_.back();
    box.toNs = std::max(box.toNs, run.toNs);
    ++box.runs, box.fillNs += ns;
    shares_[run.thread] += ns;
    if (shares_[run.thread] > shares_[box.thread])
      box.thread = run.thread;
  }

private:
  uint64_t from_, pixel_ = 0;
  double pixelNs_;
  bool isOpen_ = false; // the last box has room for more
  std::vector<ProcessorBox> &boxes_;
  std::map<uint32_t, uint64_t> shares_; // of the last box, by thread
};

} // namespace

ProcessorLanes processorLanes(const analysis::TraceTable &table, const std::vector<uint32_t> &threads, uint64_t fromNs,
                              uint64_t toNs, uint64_t pixels) {
  ProcessorLanes result;
  std::map<uint32_t, std::vector<Run>> runs;
  for (const uint32_t thread : threads) {
    const OffCpuLane *lane = table.threads[thread].offCpu.get();
    if (!lane || lane->runs().empty()) {
      result.unknown.push_back(thread);
      continue;
    }
    auto run = std::ranges::upper_bound(lane->runs(), fromNs, {}, &OnCpu::toNs);
    for (; run != lane->runs().end() && run->fromNs < toNs; ++run)
      runs[run->processor].push_back({std::max(run->fromNs, fromNs), std::min(run->toNs, toNs), thread});
  }
  const double pixelNs = static_cast<double>(toNs - fromNs) / static_cast<double>(std::max<uint64_t>(pixels, 1));
  for (auto &[processor, list] : runs) {
    std::ranges::sort(list, {}, &Run::fromNs);
    LaneBuilder builder(fromNs, pixelNs, result.lanes[processor]);
    for (const Run &run : list)
      builder.take(run);
  }
  return result;
}

} // namespace ada::view
