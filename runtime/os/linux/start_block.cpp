// Walks the start block on the stack.
#include "start_block.h"
#include "core/base/os.h"
#include "core/base/text.h"

#include <elf.h>
#include <link.h>
#include <sys/prctl.h>

// Names that belong to the dynamic linker and libc, which no program may define. A program may define `environ`, so it
// is not used.
extern "C" __attribute__((weak)) void *__libc_stack_end;
extern "C" __attribute__((weak)) char **__environ;

namespace ada::runtime {
namespace {

using Pair = ElfW(auxv_t);

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

// If the program has overwritten its environment, the values on the stack can't be found. Each variable that was
// removed in place left one more null: the dynamic linker of a set-uid program removes TMPDIR, LD_LIBRARY_PATH and
// others.
const Pair *valuesOnStack() {
  char **at = startEnvironment();
  if (!at)
    return nullptr;
  while (*at)
    ++at;
  while (!*at) // the first value's type is not null
    ++at;
  const auto *values = reinterpret_cast<const Pair *>(at);
  uint64_t page;
  return find(values, values + 64, AT_PAGESZ, page) ? values : nullptr;
}

} // namespace

void setStartEnvironment(char **environment) { givenEnvironment = environment; }

// False if no values can be read.
static bool readValue(uint64_t type, uint64_t &value) {
  value = 0;
  if (const Pair *values = valuesOnStack()) {
    find(values, values + 64, type, value);
    return true;
  }
  Pair values[4]; // hooks come here, too: see signals_blocked.h
  const int fd = sys::open("/proc/self/auxv", O_RDONLY);
  for (long n; fd >= 0 && (n = sys::read(fd, values, sizeof values)) > 0;)
    if (find(values, values + static_cast<size_t>(n) / sizeof *values, type, value))
      break;
  if (fd >= 0)
    sys::close(fd);
  return fd >= 0;
}

uint64_t auxiliaryValue(uint64_t type) {
  uint64_t value;
  readValue(type, value);
  return value;
}

// Who may not read a set-uid program's memory may not read its values either, not even the program itself.
bool hasMoreRightsThanItsCaller() {
  uint64_t isSecure;
  return readValue(AT_SECURE, isSecure) ? isSecure != 0 : sys::call(SYS_prctl, PR_GET_DUMPABLE, 0L, 0L, 0L, 0L) != 1;
}

// The kernel lays the texts out in their order, without gaps. If a program has replaced or reordered the pointers, they
// are not what /proc/self/cmdline shows.
size_t startArguments(char *to, size_t most) {
  char **environment = startEnvironment();
  if (!environment)
    return 0;
  char **arguments = environment - 1; // null, after the arguments, which come after their number
  for (long count = 0; reinterpret_cast<long>(arguments[-1]) != count; ++count)
    --arguments;
  size_t used = 0;
  const char *expected = arguments[0];
  for (char **at = arguments; *at; ++at) {
    if (*at != expected)
      return 0;
    const size_t bytes = length(*at) + 1, copied = bytes < most - used ? bytes : most - used;
    __builtin_memcpy(to + used, *at, copied);
    used += copied, expected += bytes;
  }
  return used;
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

} // namespace ada::runtime
