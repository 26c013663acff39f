// Opens the event.
#include "fault_event.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>

namespace ada::cli {

FileDescriptor openFaultEvent() {
  perf_event_attr event = {};
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_PAGE_FAULTS;
  event.disabled = event.exclude_kernel = event.exclude_hv = 1;
  return FileDescriptor(static_cast<int>(::syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

} // namespace ada::cli
