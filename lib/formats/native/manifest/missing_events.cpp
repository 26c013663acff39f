// Warnings from a process's manifest about events that are missing from its trace, or only inferred.
#include "formats/native/manifest/missing_events.h"

#include "formats/native/info/info_tables.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include <algorithm>

namespace ada::atf {

// Exits that no hook saw: how many, why, and what to do. Nothing if they are few, and the files say which they are.
static std::optional<std::string> inferredExits(const ProcessTrace &process) {
  constexpr uint64_t kFew = 4, kRare = 1000; // a handful, or one call in a thousand
  uint64_t inferred = 0, strays = 0, events = 0;
  bool isHidden = false; // ATF has them as exits by exception
  for (const ThreadTrace &thread : process.threads()) {
    const uint64_t count = thread.info ? thread.info->inferredCount : 0;
    inferred += count, strays += thread.info ? thread.info->strayCount : 0;
    events += thread.index ? thread.index->size() : 0;
    isHidden |= count > 0 && thread.index && !thread.index->isPacked();
  }
  const uint64_t calls = std::max(events / 2, inferred);
  const bool isMuch = inferred > kFew && inferred * kRare >= calls;
  if (!isMuch && !isHidden)
    return std::nullopt;
  std::string text = fmt::format("the ends of {} of {} are inferred: no hook saw them", formatCount(inferred),
                                 formatCount(calls, "call"));
  if (isMuch && strays * 2 >= inferred) // they had not been left at all
    text += fmt::format(". {} came after the call had been taken for over, so this program switches stacks by itself: "
                        "let it call ada_fiber_switch() (docs/how-to/trace_fibers.md)",
                        formatCount(strays, "return"));
  else if (isMuch)
    text += ". Code that is not traced left them by a jump (its setjmp is not seen) or by an exception, or switches "
            "stacks (docs/how-to/trace_fibers.md)";
  if (isHidden)
    text += ". ATF has no exits of this kind, so they look like exits by exception; packed files tell them apart";
  return text;
}

std::vector<Warning> missingEvents(const ProcessTrace &process) {
  std::vector<Warning> flaws;
  const Manifest &manifest = *process.manifest();
  if (const uint64_t lost = manifest.allLost(); lost > 0)
    flaws.push_back({"W_EVENTS_LOST", fmt::format("{}: {} {} not recorded (`adatrace info {}` says why)",
                                                  process.path(), formatCount(lost, "event"),
                                                  lost == 1 ? "was" : "were", pathForShell(process.path()))});
  if (const std::string why = manifest.whyNothingIsRecorded(); !why.empty())
    flaws.push_back({"W_NOTHING_RECORDED", fmt::format("{}: nothing was recorded: {}{}", process.path(), why,
                                                       manifest.failure().empty() ? "" : ": " + manifest.failure())});
  else if (const std::string why = manifest.whyLossesAreUnknown(); !why.empty() && manifest.wasRecovered)
    flaws.push_back(
        {"W_LOSSES_UNKNOWN", fmt::format("{}: an unknown number of events was lost: {}", process.path(), why)});
  if (const uint64_t leftOut = manifest.allLeftOut(); leftOut > 0)
    flaws.push_back({"W_EVENTS_LEFT_OUT",
                     fmt::format("{}: {} of short or deep calls {} left out (min_duration, max_depth)", process.path(),
                                 formatCount(leftOut, "event"), leftOut == 1 ? "was" : "were")});
  if (const auto inferred = inferredExits(process))
    flaws.push_back({"W_EXITS_INFERRED", fmt::format("{}: {}", process.path(), *inferred)});
  if (!manifest.switchedOff.empty())
    flaws.push_back({"W_FUNCTIONS_OFF", fmt::format("{}: {}; `adatrace info {}` lists them", process.path(),
                                                    switchedOffSummary(manifest), pathForShell(process.path()))});
  return flaws;
}

} // namespace ada::atf
