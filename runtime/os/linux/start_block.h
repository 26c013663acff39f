// What the kernel gives a process at its start: auxiliary values, the environment, and the vDSO's clock.
//
// Read from memory, not with getauxval(), getenv() and clock_gettime(): a program may define functions with these
// names, as libraries such as libfaketime do. They would run before they are ready, be recorded, or give different
// answers.
#pragma once

#include <stdint.h>
#include <time.h>

namespace ada {

// The auxiliary value of a type (AT_…), 0 if there is none.
uint64_t auxiliaryValue(uint64_t type);

// Says where the environment lies that the process was started with. For code that runs before libc's constructor.
void setStartEnvironment(char **environment);

// The value of an environment variable as the program has it now; null if there is none.
const char *environmentValue(const char *name);

// Reads a kernel clock, without a system call if the vDSO can do it. Async-signal-safe.
void readKernelClock(clockid_t clock, timespec &time);

} // namespace ada
