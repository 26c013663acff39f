// Describes a process: its detail events and windows, its timing anchors, and what option `budget` switched off.
#pragma once

#include "ada/trace/manifest.h"
#include "ada/trace/session.h"
#include "formats/description.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ada::atf {

/// The number of a thread's detail events, from the manifest if the thread is finished; its detail file need not be
/// open.
uint64_t detailCountOf(const ThreadTrace &thread);
/// "1,234 events, 5.6 MiB, of 2 functions (main|g*)"; empty if there are none and none were requested.
std::string detailSummary(const ProcessTrace &process);
/// The windows of detail_mode=window, with times from `startNs` on. The process must have a manifest.
formats::InfoTable windowTable(const ProcessTrace &process, std::optional<uint64_t> originNs);

/// "2 functions were switched off by the budget of 5%; up to 4,000,000 calls of them were not recorded, some 20,000 if
/// they were called as often as before". At least one function must have been switched off.
std::string switchedOffSummary(const Manifest &manifest);
/// The functions, those with the most missing calls first. Times are relative to `originNs`. The process must have a
/// manifest.
formats::InfoTable switchedOffTable(const ProcessTrace &process, std::optional<uint64_t> originNs);

/// One row per anchor, in the order in which the program gave them. Times are relative to `originNs`.
formats::InfoTable anchorTable(const Manifest &manifest, std::optional<uint64_t> originNs);

} // namespace ada::atf
