// The clock of recorded traces.
#ifndef ADA_LIB_BASE_BOOT_TIME_H
#define ADA_LIB_BASE_BOOT_TIME_H

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

#endif // ADA_LIB_BASE_BOOT_TIME_H
