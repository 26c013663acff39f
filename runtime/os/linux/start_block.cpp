// Walks the start block on the stack, and the vDSO's symbol table.
#include "start_block.h"
#include "core/base/os.h"
#include "core/base/text.h"

#include <elf.h>
#include <link.h>

// Names that belong to the dynamic linker and libc, which no program may define. A program may define `environ`, so it
// is not used.
extern "C" __attribute__((weak)) void *__libc_stack_end;
extern "C" __attribute__((weak)) char **__environ;

namespace ada {
namespace {

using Pair = ElfW(auxv_t);
using ClockFunction = int (*)(clockid_t, timespec *);

char **givenEnvironment;

// At __libc_stack_end are the argument count, the arguments, null, the environment, null, the auxiliary values. In a
// program with the runtime in it, mold and some options of other linkers make the symbol null.
char **startEnvironment() {
  if (!&__libc_stack_end || !__libc_stack_end)
    return givenEnvironment;
  auto *start = static_cast<long *>(__libc_stack_end);
  char **environment = reinterpret_cast<char **>(start + 1) + *start + 1;
  return environment[-1] == nullptr ? environment : nullptr;
}

bool find(const Pair *p, const Pair *end, uint64_t type, uint64_t &value) {
  for (; p < end && p->a_type != AT_NULL; ++p)
    if (p->a_type == type) {
      value = p->a_un.a_val;
      return true;
    }
  return false;
}

// If the program has overwritten its environment, the values on the stack can't be found.
const Pair *valuesOnStack() {
  char **at = startEnvironment();
  if (!at)
    return nullptr;
  while (*at)
    ++at;
  const auto *values = reinterpret_cast<const Pair *>(at + 1);
  uint64_t page;
  return find(values, values + 64, AT_PAGESZ, page) ? values : nullptr;
}

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
    return nullptr;
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
  return nullptr;
}

int askSystem(clockid_t clock, timespec *time) { return static_cast<int>(sys::call(SYS_clock_gettime, clock, time)); }

ClockFunction clockFunction; // (atomic) null until first used

} // namespace

void setStartEnvironment(char **environment) { givenEnvironment = environment; }

uint64_t auxiliaryValue(uint64_t type) {
  uint64_t value = 0;
  if (const Pair *values = valuesOnStack()) {
    find(values, values + 64, type, value);
    return value;
  }
  Pair values[4]; // hooks come here, too: see signals_blocked.h
  const int fd = sys::open("/proc/self/auxv", O_RDONLY);
  for (long n; fd >= 0 && (n = sys::read(fd, values, sizeof values)) > 0;)
    if (find(values, values + static_cast<size_t>(n) / sizeof *values, type, value))
      break;
  if (fd >= 0)
    sys::close(fd);
  return value;
}

// Before libc's constructor has run there is no __environ yet, only the environment that the process was started with.
const char *environmentValue(const char *name) {
  char **environment = &__environ && __environ ? __environ : startEnvironment();
  const size_t n = length(name);
  for (; environment && *environment; ++environment)
    if (TextPiece(*environment).startsWith(TextPiece(name, n)) && (*environment)[n] == '=')
      return *environment + n + 1;
  return nullptr;
}

void readKernelClock(clockid_t clock, timespec &time) {
  ClockFunction read = __atomic_load_n(&clockFunction, __ATOMIC_RELAXED);
  if (!read) {
    read = findClock();
    read = read ? read : askSystem;
    __atomic_store_n(&clockFunction, read, __ATOMIC_RELAXED);
  }
  if (read(clock, &time) != 0)
    askSystem(clock, &time);
}

} // namespace ada
