// How much of a process's times is the recorder's, or not known.
#include "time_flaws.h"

#include "base/format.h"
#include "base/quantities.h"

#include <algorithm>
#include <charconv>

namespace ada::atf {

void TimeFlaws::Share::add(const model::Thread &thread, std::uint64_t ns, std::uint64_t allNs) {
  if (ns == 0 || ns <= allNs / 100)
    return;
  ++threads, sumNs += ns;
  const double share = static_cast<double>(ns) / static_cast<double>(std::max(ns, allNs));
  if (share > worst)
    worst = share, worstThread = thread.number;
}

// "2 threads for 1.5 s, thread 0 for 43 % of its time"
std::string TimeFlaws::Share::text(const char *how) const {
  return fmt::format("{}{} for {}, thread {} for {:.0f} % of its time", formatCount(threads, "thread"), how,
                     formatDuration(sumNs), worstThread, std::max(1.0, 100 * worst));
}

void TimeFlaws::add(const model::Thread &thread) {
  if (!thread.extent || thread.extent->lastNs <= thread.extent->firstNs || !thread.offCpu)
    return;
  const std::uint64_t firstNs = thread.extent->firstNs, lastNs = thread.extent->lastNs;
  const OffCpuTimes times = thread.offCpu->timesBetween(firstNs, lastNs);
  // What comes before the first call and after the last one is in no figure that is shown.
  recorder_.add(thread, times.recorderNs, lastNs - firstNs);
  // The last moments of a killed program are not lost: the system had not told of them yet.
  const OffCpuLane &lane = *thread.offCpu;
  const OffCpuTimes told = lane.timesBetween(std::max(firstNs, lane.knownFromNs()), std::min(lastNs, lane.knownToNs()));
  unknown_.add(thread, told.unknownNs, lastNs - firstNs);
}

// What else a process could be recorded with, so that it is held up less.
static std::string remedy(const Manifest *manifest) {
  bool isPacked = false;
  std::uint64_t buffer = 0;
  if (manifest)
    for (const auto &[name, value] : manifest->options) {
      isPacked |= name == "format" && value == "packed";
      if (name == "buffer")
        std::from_chars(value.data(), value.data() + value.size(), buffer);
    }
  return fmt::format("{}a larger --buffer{} or a filter", isPacked ? "" : "--packed, ",
                     buffer ? " (it was " + formatBytes(buffer) + ")" : "");
}

std::vector<Warning> TimeFlaws::warnings(const std::string &process, const Manifest *manifest) const {
  std::vector<Warning> flaws;
  if (recorder_.threads > 0)
    flaws.push_back({"W_RECORDER_WAIT",
                     fmt::format("{}: the recorder held up {}; that is shown as `recorder`, and is no time of the "
                                 "program: record with {}",
                                 process, recorder_.text(""), remedy(manifest))});
  if (unknown_.threads > 0)
    flaws.push_back({"W_SCHED_UNKNOWN",
                     fmt::format("{}: scheduling records were lost: nothing says of {}; that is shown as `unknown`",
                                 process, unknown_.text(" whether it ran or waited"))});
  return flaws;
}

} // namespace ada::atf
