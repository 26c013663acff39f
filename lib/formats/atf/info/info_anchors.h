// Describes timing anchors.
#ifndef ADA_LIB_FORMATS_ATF_INFO_ANCHORS_H
#define ADA_LIB_FORMATS_ATF_INFO_ANCHORS_H

#include "ada/trace/manifest.h"
#include "formats/description.h"

namespace ada::atf {

/// One row per anchor, in the order in which the program gave them. Times are relative to `originNs`.
model::InfoTable anchorTable(const Manifest &manifest, std::optional<uint64_t> originNs);

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_INFO_ANCHORS_H
