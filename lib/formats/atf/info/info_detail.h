// Describes detail events and the windows in which they were recorded.
#ifndef ADA_LIB_FORMATS_ATF_INFO_DETAIL_H
#define ADA_LIB_FORMATS_ATF_INFO_DETAIL_H

#include "ada/trace/session.h"
#include "formats/description.h"

#include <cstdint>
#include <string>

namespace ada::atf {

/// The number of a thread's detail events, from the manifest if the thread is finished; its detail file need not be
/// open.
uint64_t detailCountOf(const ThreadTrace &thread);
/// "1,234 events, 5.6 MiB, of 2 functions (main|g*)"; empty if there are none and none were requested.
std::string detailSummary(const ProcessTrace &process);
/// The windows of detail_mode=window, with times from `startNs` on. The process must have a manifest.
model::InfoTable windowTable(const ProcessTrace &process, std::optional<uint64_t> originNs);

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_INFO_DETAIL_H
