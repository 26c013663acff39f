// What this process's time namespace adds to the machine's CLOCK_BOOTTIME: lib/shared/text/boot_offset.h says why.
#pragma once

#include <stdint.h>

namespace ada {

// Modulo 2^64, because it may be negative; UINT64_MAX: not known yet.
extern uint64_t knownBootOffsetNs;
uint64_t findBootOffset();

// Async-signal-safe.
inline uint64_t bootOffsetNs() {
  const uint64_t known = __atomic_load_n(&knownBootOffsetNs, __ATOMIC_RELAXED);
  return __builtin_expect(known == UINT64_MAX, 0) ? findBootOffset() : known;
}

// To be called where it may have changed: in a new process, and before a process records. Later, a process that records
// keeps it, because only a process with a single thread can enter another time namespace.
void forgetBootOffset();

} // namespace ada
