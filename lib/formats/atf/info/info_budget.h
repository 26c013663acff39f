// Describes what option `budget` switched off.
#ifndef ADA_LIB_FORMATS_ATF_INFO_BUDGET_H
#define ADA_LIB_FORMATS_ATF_INFO_BUDGET_H

#include "ada/trace/session.h"
#include "formats/description.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ada::atf {

/// "2 functions were switched off by the budget of 5%; about 1,234 calls of them were not recorded". At least one
/// function must have been switched off.
std::string switchedOffSummary(const Manifest &manifest);
/// The functions, those with the most missing calls first. Times are relative to `originNs`. The process must have a
/// manifest.
model::InfoTable switchedOffTable(const ProcessTrace &process, std::optional<uint64_t> originNs);

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_INFO_BUDGET_H
