// drain_thread.cpp - a thread by clone, with a thread-local area of our making.
#include "drain_thread.h"
#include "core/os.h"
#include "thread_area.h"

#include <sched.h>
#include <sys/resource.h>

namespace ada {

int startDrainThread(int (*body)(void *), void *argument) {
  constexpr size_t kStackBytes = 256 * 1024;
  size_t areaBytes = (arch::threadAreaBytes() + 4095) & ~(size_t)4095;
  char *memory = (char *)sys::mapMemory(kStackBytes + areaBytes);
  if (!memory)
    return -ENOMEM;
  sys::call(SYS_mprotect, memory, 4096, PROT_NONE); // guard page
  void *area = arch::makeThreadArea(memory + kStackBytes, areaBytes);
  uint64_t mask = sys::blockSignals(); // the thread inherits it
  // The flags of every threads library, for what emulators and valgrind accept is just these.
  int id = clone(body, memory + kStackBytes - 64,
                 CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS,
                 argument, nullptr, area, nullptr);
  int error = id < 0 ? -errno : 0;
  sys::restoreSignals(mask);
  if (error)
    sys::unmap(memory, kStackBytes + areaBytes);
  return error;
}

bool takeOwnFileTable() {
  if (sys::call(SYS_unshare, CLONE_FILES) < 0)
    return false;
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
  if (sys::call(SYS_close_range, 0L, (long)~0u, 0L) < 0) { // before Linux 5.9
    struct rlimit64 limit = {};
    sys::call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit);
    for (uint64_t fd = 0; fd < limit.rlim_cur && fd < (1u << 20); ++fd)
      sys::close((int)fd);
  }
  return true;
}

} // namespace ada
