// When a session begins and ends.
#pragma once

#include "ada/trace/session.h"

#include <algorithm>
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

/// Calls f(seq, event) for each event, and releases what has been read.
template <class F> void forEachReleasing(const IndexReader &index, F &&f) {
  for (uint64_t first = 0; first < index.size(); first += kReleaseEvents) {
    const SeqRange part = {first, std::min(index.size(), first + kReleaseEvents)};
    index.forEach(part, f);
    index.release(part);
  }
}

} // namespace ada::atf
