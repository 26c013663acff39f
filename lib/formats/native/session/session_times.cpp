// When a session begins and ends.
#include "formats/native/session/session_times.h"

#include <algorithm>

namespace ada::atf {

std::optional<std::pair<uint64_t, uint64_t>> timesOf(const Session &session) {
  uint64_t low = ~uint64_t{0}, high = 0;
  for (const ProcessTrace &process : session.processes())
    for (const ThreadTrace &thread : process.threads()) {
      if (!thread.index)
        continue;
      const IndexReader &events = *thread.index;
      if (events.isPacked() && events.isSorted()) { // without reading the events
        if (!events.empty())
          low = std::min(low, events.firstNs()), high = std::max(high, events.lastNs());
        continue;
      }
      forEachReleasing(events, [&](uint64_t, const IndexEvent &event) {
        low = std::min(low, event.timestampNs);
        high = std::max(high, event.timestampNs);
      });
    }
  if (low > high)
    return std::nullopt;
  return std::pair(low, high);
}

} // namespace ada::atf
