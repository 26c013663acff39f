// Finds the vDSO's clock in its symbol table, and asks the system whether it may be used.
#include "kernel_clock.h"
#include "core/base/os.h"
#include "core/base/text.h"
#include "core/record/thread.h"
#include "start_block.h"

#include <elf.h>
#include <link.h>
#include <sys/prctl.h>

namespace ada::runtime {
namespace {

using ClockFunction = int (*)(clockid_t, timespec *);

int askSystem(clockid_t clock, timespec *time) { return static_cast<int>(sys::call(SYS_clock_gettime, clock, time)); }

template <class T> const T *at(uint64_t base, uint64_t offset) { return reinterpret_cast<const T *>(base + offset); }

uint32_t countByGnuHash(const uint32_t *table) {
  const uint32_t buckets = table[0], first = table[1], words = table[2];
  const uint32_t *bucket = reinterpret_cast<const uint32_t *>(reinterpret_cast<const ElfW(Addr) *>(table + 4) + words),
                 *chain = bucket + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i)
    last = bucket[i] > last ? bucket[i] : last;
  if (last < first)
    return 0;
  while (!(chain[last - first] & 1))
    ++last;
  return last + 1;
}

ClockFunction findClock() {
  const uint64_t image = auxiliaryValue(AT_SYSINFO_EHDR);
  if (!image)
    return askSystem;
  const auto &header = *at<ElfW(Ehdr)>(image, 0);
  const auto *segments = at<ElfW(Phdr)>(image, header.e_phoff);
  const ElfW(Dyn) *dynamic = nullptr;
  uint64_t base = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD && base == 0)
      base = image + segments[i].p_offset - segments[i].p_vaddr;
    if (segments[i].p_type == PT_DYNAMIC)
      dynamic = at<ElfW(Dyn)>(image, segments[i].p_offset);
  }
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  uint32_t count = 0;
  for (; dynamic && dynamic->d_tag != DT_NULL; ++dynamic) {
    const uint64_t value = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_SYMTAB)
      symbols = at<ElfW(Sym)>(base, value);
    else if (dynamic->d_tag == DT_STRTAB)
      names = at<char>(base, value);
    else if (dynamic->d_tag == DT_HASH)
      count = at<uint32_t>(base, value)[1];
    else if (dynamic->d_tag == DT_GNU_HASH && count == 0)
      count = countByGnuHash(at<uint32_t>(base, value));
  }
  for (uint32_t i = 0; symbols && names && i < count; ++i)
    if (symbols[i].st_shndx != SHN_UNDEF && equal(names + symbols[i].st_name, arch::kVdsoClock))
      return reinterpret_cast<ClockFunction>(base + symbols[i].st_value);
  return askSystem;
}

ClockFunction clockFunction; // (atomic) null until first used

} // namespace

bool mayReadCounter() {
  int mode = 0;
  return sys::call(SYS_prctl, PR_GET_TSC, &mode) < 0 || mode != PR_TSC_SIGSEGV;
}

void readKernelClockQuickly(clockid_t clock, timespec &time) {
  ClockFunction read = __atomic_load_n(&clockFunction, __ATOMIC_RELAXED);
  if (!read) {
    read = findClock();
    __atomic_store_n(&clockFunction, read, __ATOMIC_RELAXED);
  }
  if (read(clock, &time) != 0)
    askSystem(clock, &time);
}

void askKernelClock(clockid_t clock, timespec &time) {
  if (askSystem(clock, &time) != 0)
    readKernelClockQuickly(clock, time);
}

void readKernelClock(clockid_t clock, timespec &time) {
  if (ada_thread.readsCounter || mayReadCounter())
    readKernelClockQuickly(clock, time);
  else
    askKernelClock(clock, time);
}

} // namespace ada::runtime
