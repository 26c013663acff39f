// Makes the links of an index file that was cut off agree with the details that exist.
#pragma once

#include "ada/trace/atf_detail.h"

#include <cstdint>
#include <string>

namespace ada::recover {

// Checks the first `events` events of an index file that has no footer yet. Clears links whose detail is missing, and
// links details whose event has no link. `details` is null if there is no detail file.
// Returns how many links were cleared. An interrupted repair may be repeated.
Expected<uint64_t> repairLinks(const std::string &indexPath, uint64_t events, const atf::DetailReader *details);

} // namespace ada::recover
