// What this process's time namespace adds to the machine's CLOCK_BOOTTIME: shared/text/boot_offset.h says why.
#pragma once

#include <stdint.h>

namespace ada::runtime {

// (atomic) Modulo 2^64, because it may be negative. Until it is found, what it was in the parent.
extern uint64_t knownBootOffsetNs;

// Async-signal-safe.
inline uint64_t bootOffsetNs() { return __atomic_load_n(&knownBootOffsetNs, __ATOMIC_RELAXED); }

// To be called before a process records, with the start lock held and a large stack. Later, a process that records
// keeps it, because only a process with a single thread can enter another time namespace.
void findBootOffset();
// In a forked process: it may have changed.
void forgetBootOffset();
bool isBootOffsetFound();

} // namespace ada::runtime
