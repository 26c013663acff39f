// Describes the times in which a thread did not run its program.
#pragma once

#include "ada/trace/off_cpu.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"

#include <string>

namespace ada::cli {

/// "off-CPU 10.2 ms: 3.00 ms preempted, 7.20 ms waiting; unknown 1.00 ms"; empty if there is no such time. Leaves out
/// the recorder's time if it has its own line (`hasRecorderLine`).
inline std::string offCpuText(const OffCpuTimes &off, bool hasRecorderLine = false) {
  std::string text;
  if (off.sumNs() > 0) {
    text = "off-CPU " + formatDuration(off.sumNs());
    if (off.waitingNs == 0 || off.preemptedNs == 0)
      text += off.waitingNs ? ": waiting" : ": preempted";
    else
      text += fmt::format(": {} preempted, {} waiting", formatDuration(off.preemptedNs), formatDuration(off.waitingNs));
  }
  const auto add = [&](const char *what, uint64_t ns) {
    if (ns > 0)
      text += (text.empty() ? "" : "; ") + (what + formatDuration(ns));
  };
  add("recorder ", hasRecorderLine ? 0 : off.recorderNs);
  add("unknown ", off.unknownNs);
  return text;
}

} // namespace ada::cli
