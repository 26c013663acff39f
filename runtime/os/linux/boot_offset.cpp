// Asks /proc for the offset, or else measures it.
#include "shared/text/boot_offset.h"
#include "core/base/os.h"
#include "start_block.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>

namespace ada::runtime {

uint64_t knownBootOffsetNs;

namespace {

bool isFound; // (atomic)

uint64_t ownBootTimeNs() {
  timespec t = {};
  readKernelClock(CLOCK_BOOTTIME, t);
  return sys::nanoseconds(t);
}

// Without /proc: the kernel reports, on the machine's clock, when this thread is given a name, which stays what it was.
// The error is the time that this takes, some microseconds.
bool measure(int64_t &offsetNs) {
  perf_event_attr a = {};
  a.type = PERF_TYPE_SOFTWARE, a.size = sizeof a, a.config = PERF_COUNT_SW_DUMMY;
  a.sample_type = PERF_SAMPLE_TIME, a.sample_id_all = a.comm = 1;
  a.exclude_kernel = a.exclude_hv = 1;
  a.use_clockid = 1, a.clockid = CLOCK_BOOTTIME;
  const int fd = static_cast<int>(sys::call(SYS_perf_event_open, &a, 0L, -1L, -1L, PERF_FLAG_FD_CLOEXEC));
  if (fd < 0)
    return false;
  const uint64_t page = auxiliaryValue(AT_PAGESZ);
  char *at = static_cast<char *>(sys::map(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd));
  sys::close(fd);
  if (!at)
    return false;
  char name[16] = {};
  sys::call(SYS_prctl, PR_GET_NAME, name);
  const uint64_t before = ownBootTimeNs();
  sys::call(SYS_prctl, PR_SET_NAME, name);
  const uint64_t after = ownBootTimeNs();
  const uint64_t used = __atomic_load_n(&reinterpret_cast<perf_event_mmap_page *>(at)->data_head, __ATOMIC_ACQUIRE);
  const auto &header = *reinterpret_cast<const perf_event_header *>(at + page);
  const bool isThere = used >= sizeof header + 8 && used <= page && header.size == used;
  if (isThere) { // a record ends with its time
    const uint64_t told = *reinterpret_cast<const uint64_t *>(at + page + used - 8);
    offsetNs = told >= before && told <= after ? 0 : static_cast<int64_t>(before + (after - before) / 2 - told);
  }
  sys::unmap(at, 2 * page);
  return isThere;
}

} // namespace

// If nothing says what it is, it is what it was: a child is mostly in its parent's namespace.
void findBootOffset() {
  auto offsetNs = static_cast<int64_t>(bootOffsetNs());
  // No function is passed as such: stack_need.test follows no pointers.
  const auto readLink = [](const char *path, char *to, size_t n) { return sys::readLink(path, to, n); };
  const auto readFile = [](const char *path, char *to, size_t n) { return sys::readFile(path, to, n); };
  if (!askBootOffset(readLink, readFile, offsetNs))
    measure(offsetNs);
  __atomic_store_n(&knownBootOffsetNs, static_cast<uint64_t>(offsetNs), __ATOMIC_RELAXED);
  __atomic_store_n(&isFound, true, __ATOMIC_RELEASE);
}

void forgetBootOffset() { __atomic_store_n(&isFound, false, __ATOMIC_RELAXED); }

bool isBootOffsetFound() { return __atomic_load_n(&isFound, __ATOMIC_ACQUIRE); }

} // namespace ada::runtime
