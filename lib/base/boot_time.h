// The clock of recorded traces.
#pragma once

#include <cstdint>
#include <ctime>

namespace ada {

/// Nanoseconds since the system was started, including suspended time.
inline uint64_t bootTimeNs() {
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace ada
