// When a session begins and ends.
#ifndef ADA_LIB_FORMATS_ATF_SESSION_TIMES_H
#define ADA_LIB_FORMATS_ATF_SESSION_TIMES_H

#include "ada/trace/session.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace ada::atf {

/// The times of the oldest and of the newest event, in nanoseconds; nothing if there are none. Reads all events of the
/// files that do not tell.
std::optional<std::pair<std::uint64_t, std::uint64_t>> timesOf(const Session &session);

/// Pages of an index file are given back after so many events, so that a large trace does not fill the memory with its
/// input.
inline constexpr std::uint64_t kReleaseEvents = 1 << 17;

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_SESSION_TIMES_H
