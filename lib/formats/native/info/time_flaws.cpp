// Measures how much of a session's times is the recorder's or unknown.
#include "formats/native/info/time_flaws.h"

#include "formats/native/directories.h"
#include "shared/ring/ring_file.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include <algorithm>
#include <charconv>

namespace ada::atf {

bool TimeFlaws::Share::add(const model::Thread &thread, uint64_t ns, uint64_t allNs) {
  if (ns == 0 || ns <= allNs / 100)
    return false;
  ++threads, sumNs += ns;
  const double share = static_cast<double>(ns) / static_cast<double>(std::max(ns, allNs));
  if (share > worst)
    worst = share, worstThread = thread.number;
  return true;
}

// "2 threads for 1.5 s, thread 0 for 43 % of its time"
std::string TimeFlaws::Share::text(const char *how) const {
  return fmt::format("{}{} for {}, thread {} for {:.0f} % of its time", formatCount(threads, "thread"), how,
                     formatDuration(sumNs), worstThread, std::max(1.0, 100 * worst));
}

void TimeFlaws::add(const model::Thread &thread) {
  if (!thread.extent || thread.extent->lastNs <= thread.extent->firstNs || !thread.offCpu)
    return;
  const uint64_t firstNs = thread.extent->firstNs, lastNs = thread.extent->lastNs;
  const OffCpuTimes times = thread.offCpu->timesBetween(firstNs, lastNs);
  // Times before the first call and after the last one are in none of the figures shown.
  if (recorder_.add(thread, times.recorderNs, lastNs - firstNs))
    addReasons(*thread.offCpu, firstNs, lastNs);
  // The last moments of a killed program don't count as lost: the system had not reported them yet.
  const OffCpuLane &lane = *thread.offCpu;
  const OffCpuTimes told = lane.timesBetween(std::max(firstNs, lane.knownFromNs()), std::min(lastNs, lane.knownToNs()));
  unknown_.add(thread, told.unknownNs, lastNs - firstNs);
}

void TimeFlaws::addReasons(const OffCpuLane &lane, uint64_t firstNs, uint64_t lastNs) {
  for (const OffCpu &off : lane.between(firstNs, lastNs))
    if (off.why == OffCpu::Why::Recorder)
      held_.add(off.heldFor, std::min(off.toNs, lastNs) - std::max(off.fromNs, firstNs));
}

// Options with which the recorder would hold up the process less, given the reason that cost most. Empty if there are
// none: everything begins and ends.
static std::string remedy(const Manifest *manifest, uint32_t reason) {
  if (reason == ADA_HELD_OTHER)
    return {};
  bool isPacked = false;
  uint64_t buffer = 0;
  if (manifest)
    for (const auto &[name, value] : manifest->options) {
      isPacked |= name == "format" && value == "packed";
      if (name == "buffer")
        std::from_chars(value.data(), value.data() + value.size(), buffer);
    }
  const bool isSmall = reason == ADA_HELD_WAITED || reason == ADA_HELD_LOST;
  if (!isSmall)
    return fmt::format(": record with {}fewer functions (--exclude)", isPacked ? "" : "--packed or ");
  return fmt::format(": record with {}a larger --buffer{} or fewer functions (--exclude)", isPacked ? "" : "--packed, ",
                     buffer ? " (it was " + formatBytes(buffer) + ")" : "");
}

void TimeFlaws::endProcess(const std::string &process, const Manifest *manifest) {
  constexpr uint64_t kLeastNs = 1'000'000;
  if (recorder_.threads > 0 && recorder_.sumNs >= kLeastNs)
    recorderFlaws_.push_back(
        {recorder_.worst, process,
         fmt::format("{}: the recorder held up {}: {}; this time is shown as `recorder` and is not the program's{}",
                     process, recorder_.text(""), held_.text(recorder_.sumNs), remedy(manifest, held_.worst()))});
  if (unknown_.threads > 0)
    unknownFlaws_.push_back({unknown_.worst, process,
                             fmt::format("{}: scheduling records were lost, or recording was stopped "
                                         "meanwhile, so it is unknown whether {}; this time is "
                                         "shown as `unknown`",
                                         process, unknown_.text(" ran or waited"))});
  recorder_ = unknown_ = {};
  held_ = {};
}

void TimeFlaws::tell(const std::vector<Flaw> &flaws, const char *code, std::vector<Warning> &to) {
  constexpr size_t kMaxToldAlone = 3;
  if (flaws.size() <= kMaxToldAlone) {
    for (const Flaw &flaw : flaws)
      to.push_back({code, flaw.text});
    return;
  }
  const Flaw &worst = *std::ranges::max_element(flaws, {}, &Flaw::worst);
  to.push_back({code, fmt::format("{} (the worst of {}; `adatrace info {}` shows all)", worst.text,
                                  formatCount(flaws.size(), "process"), pathForShell(parentPath(worst.process)))});
}

std::vector<Warning> TimeFlaws::warnings() const {
  std::vector<Warning> all;
  tell(recorderFlaws_, "W_RECORDER_WAIT", all);
  tell(unknownFlaws_, "W_SCHED_UNKNOWN", all);
  return all;
}

} // namespace ada::atf
