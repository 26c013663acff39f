// When a session begins and ends.
#pragma once

#include "ada/trace/session.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace ada::atf {

/// The times of the oldest and the newest event, in nanoseconds; nothing if there are no events. Reads all events of
/// files that don't store these times.
std::optional<std::pair<uint64_t, uint64_t>> timesOf(const Session &session);

/// The pages of an index file are released after this many events, so that reading a large trace does not fill the
/// memory.
inline constexpr uint64_t kReleaseEvents = 1 << 17;

} // namespace ada::atf
