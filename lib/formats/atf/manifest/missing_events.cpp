// Warnings from a process's manifest about events that are missing from its trace.
#include "missing_events.h"

#include "base/format.h"
#include "base/quantities.h"
#include "formats/atf/info/info_tables.h"

namespace ada::atf {

std::vector<Warning> missingEvents(const ProcessTrace &process) {
  std::vector<Warning> flaws;
  const Manifest &manifest = *process.manifest();
  if (const uint64_t lost = manifest.allLost(); lost > 0)
    flaws.push_back({"W_EVENTS_LOST", fmt::format("{}: {} {} not recorded (`adatrace info` says why)", process.path(),
                                                  formatCount(lost, "event"), lost == 1 ? "was" : "were")});
  if (const std::string why = manifest.whyLossesAreUnknown(); !why.empty() && manifest.wasRecovered)
    flaws.push_back(
        {"W_LOSSES_UNKNOWN", fmt::format("{}: an unknown number of events was lost: {}", process.path(), why)});
  if (const uint64_t leftOut = manifest.allLeftOut(); leftOut > 0)
    flaws.push_back({"W_EVENTS_LEFT_OUT",
                     fmt::format("{}: {} of short or deep calls {} left out (min_duration, max_depth)", process.path(),
                                 formatCount(leftOut, "event"), leftOut == 1 ? "was" : "were")});
  if (!manifest.switchedOff.empty())
    flaws.push_back({"W_FUNCTIONS_OFF",
                     fmt::format("{}: {}; `adatrace info` lists them", process.path(), switchedOffSummary(manifest))});
  return flaws;
}

} // namespace ada::atf
