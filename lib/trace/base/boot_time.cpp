// Reads CLOCK_BOOTTIME, and what a time namespace adds to it.
#include "trace/base/boot_time.h"

#include "shared/text/boot_offset.h"
#include "trace/base/read_all.h"

#include <ctime>
#include <unistd.h>

namespace ada {

static int64_t findBootOffset() {
  int64_t offsetNs = 0; // if the system does not say
  askBootOffset(::readlink, readBeginning, offsetNs);
  return offsetNs;
}

uint64_t bootTimeNs() {
  static const int64_t offsetNs = findBootOffset();
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint64_t>(now.tv_sec * 1'000'000'000 + now.tv_nsec - offsetNs);
}

} // namespace ada
