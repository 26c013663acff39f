// Starts a thread with clone, with a thread-local area that we set up.
#include "drain_thread.h"
#include "core/base/os.h"
#include "core/facts/process_info.h"
#include "directory.h"
#include "shared/options/numbers.h"
#include "thread_area.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

// The function that libc's clone calls. ThreadSanitizer replaces `clone` with one that treats every call as a fork,
// even that of a thread, and aborts. glibc also exports this name, which no program may define.
extern "C" decltype(clone) __clone;

namespace ada::runtime {
namespace {

// What a thread runs; stored at the end of its area.
struct Start {
  void (*body)(void *);
  void *argument;
  bool hasOwnFiles; // of the thread that starts it
};

uint32_t running; // (atomic)
int endStatus;    // (atomic)
constexpr char kName[16] = "adatrace";

int runBody(void *start) {
  const Start s = *static_cast<const Start *>(start);
  ada_thread.hasOwnFiles = s.hasOwnFiles;
  sys::call(SYS_prctl, PR_SET_NAME, kName);
  if (!mayReadCounter())
    sys::call(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE);
  ada_thread.readsCounter = mayReadCounter();
  s.body(s.argument);
  __atomic_sub_fetch(&running, 1, __ATOMIC_RELAXED);
  return __atomic_load_n(&endStatus, __ATOMIC_RELAXED);
}

} // namespace

void ownThreadsEndWith(int status) { __atomic_store_n(&endStatus, status, __ATOMIC_RELAXED); }

uint32_t ownThreads() { return __atomic_load_n(&running, __ATOMIC_RELAXED); }
void forgetOwnThreads() {
  __atomic_store_n(&running, 0, __ATOMIC_RELAXED);
  ownThreadsEndWith(0);
}

// The kernel permits this, which does nothing, to a process with one thread only (unshare(2)). Looking into /proc takes
// 4 µs, and so does forgetting the process's entries there, when its parent waits for it.
bool isOnlyThreadOfProcess() { return sys::call(SYS_unshare, CLONE_THREAD) == 0; }

bool onlyOwnThreadsAreLeft() {
  bool found = false, others = false;
  eachName("/proc/self/task", [&](const char *name) {
    TextPiece digits(name);
    uint64_t id;
    if (!options::takeNumber(digits, id) || id == sys::processId())
      return true;
    char comm[16] = {};
    readThreadName(static_cast<uint32_t>(id), comm);
    found = true;
    others = !equal(comm, kName);
    return !others;
  });
  return found && !others;
}

int startOwnThread(void (*body)(void *), void *argument) {
  constexpr size_t kStackBytes = 256 * 1024;
  size_t areaBytes = (arch::threadAreaBytes() + 4095) & ~size_t{4095};
  auto *memory = static_cast<char *>(sys::mapMemory(kStackBytes + areaBytes));
  if (!memory)
    return -ENOMEM;
  sys::call(SYS_mprotect, memory, 4096, PROT_NONE); // guard page
  void *area = arch::makeThreadArea(memory + kStackBytes, areaBytes);
  uint64_t mask = sys::blockSignals(); // the thread inherits it
  // The flags that every thread library uses: emulators and valgrind accept exactly these.
  constexpr int kFlags =
      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
  auto *start = reinterpret_cast<Start *>(memory + kStackBytes - 64);
  *start = {body, argument, ada_thread.hasOwnFiles};
  __atomic_add_fetch(&running, 1, __ATOMIC_RELAXED);
  int id = __clone(runBody, memory + kStackBytes - 128, kFlags, start, nullptr, area, nullptr);
  int error = id < 0 ? -errno : 0;
  sys::restoreSignals(mask);
  if (error) {
    __atomic_sub_fetch(&running, 1, __ATOMIC_RELAXED);
    sys::unmap(memory, kStackBytes + areaBytes);
  }
  return error;
}

bool takeOwnDirectory(const char *directory) {
  return sys::call(SYS_unshare, CLONE_FS) == 0 && sys::call(SYS_chdir, directory) == 0;
}

bool isFiltered() {
  static char text[4096]; // the drain is one thread
  // The main thread's: a filter that another thread gives to this one is given to all. This thread's own entry would be
  // forgotten by the kernel when this thread ends, and the process's parent may wait for that, at 100 % of a CPU.
  const TextPiece status(text, sys::readFile("/proc/self/status", text, sizeof text));
  constexpr TextPiece kNone("\nSeccomp:\t0\n");
  for (size_t at = 0; at + kNone.size <= status.size; ++at)
    if (status.from(at).startsWith(kNone))
      return false;
  return true;
}

bool hasOwnFileTable() { return ada_thread.hasOwnFiles; }

bool takeOwnFileTable() {
  if (sys::call(SYS_unshare, CLONE_FILES) < 0)
    return false;
  ada_thread.hasOwnFiles = true;
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
  if (sys::call(SYS_close_range, 0L, static_cast<long>(~0u), 0L) == 0)
    return true;
  struct rlimit64 limit = {}; // before Linux 5.9
  sys::call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit);
  for (uint64_t fd = 0; fd < limit.rlim_cur && fd < (1u << 20); ++fd)
    sys::close(static_cast<int>(fd));
  return true;
}

} // namespace ada::runtime
