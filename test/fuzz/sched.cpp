// Fuzzes the reader of on-CPU and off-CPU times.
//
// Properties: the times are in order, don't overlap and lie in the known range (those of the recorder may lie
// anywhere); sums of a part equal the added-up times; the times and page faults read can be written and read again;
// memory doesn't grow with the file's claims.
#include "memory_file.h"
#include "require.h"

#include "ada/trace/off_cpu.h"
#include "formats/native/sched/sched_file.h"
#include "shared/encode/sched_format.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace ada;
using ada::fuzz::require;

namespace {

void put(const fuzz::MemoryFile &file, const std::string &bytes) {
  require(::truncate(file.path().c_str(), 0) == 0, "a file in memory can be emptied");
  require(file.write(bytes.data(), bytes.size()), "a file in memory can be written");
}

void checkOrder(const OffCpuLane &lane) {
  uint64_t last = 0;
  for (const OffCpu &off : lane.periods()) {
    require(off.fromNs >= last && off.toNs > off.fromNs, "times are in order");
    const bool mayBeOutside = off.why == OffCpu::Why::Recorder || off.why == OffCpu::Why::Unknown; // between these
    require(off.toNs <= lane.knownToNs() || mayBeOutside, "times are known");
    last = off.toNs;
  }
}

void checkSums(const OffCpuLane &lane, uint64_t fromNs, uint64_t toNs) {
  OffCpuTimes sum;
  for (const OffCpu &off : lane.periods())
    if (const uint64_t from = std::max(off.fromNs, fromNs), to = std::min(off.toNs, toNs); from < to)
      sum.add(off.why, to - from);
  const OffCpuTimes got = lane.timesBetween(fromNs, toNs);
  require(got.waitingNs == sum.waitingNs && got.preemptedNs == sum.preemptedNs, "sums are right");
}

// The times that a file has. What lies outside of the known range is unknown without being told.
std::vector<OffCpu> told(const OffCpuLane &lane) {
  std::vector<OffCpu> periods;
  for (OffCpu off : lane.periods()) {
    if (off.why == OffCpu::Why::Unknown)
      off.fromNs = std::max(off.fromNs, lane.knownFromNs()), off.toNs = std::min(off.toNs, lane.knownToNs());
    if (off.fromNs < off.toNs)
      periods.push_back(off);
  }
  return periods;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz::MemoryFile file;
  std::string bytes(reinterpret_cast<const char *>(data), size);
  put(file, bytes);
  (void)OffCpuLane::open(file.path());
  // Set here, because a fuzzer would not find these.
  if (size >= 12) {
    std::memcpy(bytes.data(), sched::kMagic, sizeof sched::kMagic);
    const uint32_t version = sched::kVersion + data[0] % sched::kNewestVersion;
    std::memcpy(bytes.data() + 8, &version, sizeof version);
    put(file, bytes);
  }
  const bool isWhole = bool(atf::checkSched(file.path()));
  std::shared_ptr<const OffCpuLane> lane;
  const size_t peak = fuzz::peakOf([&] {
    if (auto opened = OffCpuLane::open(file.path()))
      lane = *opened;
  });
  require(peak < 10 * size + 100'000, "memory is that of the records");
  require(lane || !isWhole, "what is whole can be read");
  if (!lane)
    return 0;
  checkOrder(*lane);
  uint64_t times[2] = {0, 0};
  std::memcpy(times, data, std::min(size, sizeof times));
  const uint64_t from = lane->knownFromNs() + times[0] % 10'000, to = from + times[1] % 100'000;
  checkSums(*lane, from, std::max(from, to));
  checkSums(*lane, 0, ~uint64_t{0});
  put(file, atf::schedBytes(*lane, 7));
  require(bool(atf::checkSched(file.path())), "what was written is whole");
  const auto again = OffCpuLane::open(file.path());
  require(bool(again), "what was written can be read");
  require(std::ranges::equal(told(*lane), told(**again),
                             [](const OffCpu &a, const OffCpu &b) {
                               return a.fromNs == b.fromNs && a.toNs == b.toNs && a.why == b.why;
                             }),
          "what was written is the same");
  require(lane->knowsFaults() == (*again)->knowsFaults() && std::ranges::equal(lane->faults(), (*again)->faults()),
          "page faults are the same");
  return 0;
}
