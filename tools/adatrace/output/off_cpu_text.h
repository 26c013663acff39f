// How times without a processor are said.
#ifndef ADATRACE_OFF_CPU_TEXT_H
#define ADATRACE_OFF_CPU_TEXT_H

#include "ada/trace/off_cpu.h"
#include "base/quantities.h"

#include <fmt/format.h>
#include <string>

namespace ada::cli {

/// "off-CPU 10.2 ms: 3.00 ms preempted, 7.20 ms waiting"; empty if there is no such time.
inline std::string offCpuText(const OffCpuTimes &off) {
  if (off.sumNs() == 0)
    return {};
  const std::string sum = "off-CPU " + formatDuration(off.sumNs());
  if (off.waitingNs == 0 || off.preemptedNs == 0)
    return sum + (off.waitingNs ? ": waiting" : ": preempted");
  return fmt::format("{}: {} preempted, {} waiting", sum, formatDuration(off.preemptedNs),
                     formatDuration(off.waitingNs));
}

} // namespace ada::cli
#endif // ADATRACE_OFF_CPU_TEXT_H
