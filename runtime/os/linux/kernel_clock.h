// The kernel's clocks, with and without the CPU's counter.
//
// The vDSO's clock needs no system call, but it reads the CPU's counter. A thread can forbid itself to do so
// (prctl(PR_SET_TSC), seccomp's strict mode), and then it raises SIGSEGV. The setting belongs to the thread, which can
// change it at any time, and only a system call shows it. So there are three ways:
//   - with care, wherever it is not on the path of every event: the thread asks before it reads;
//   - quickly, where the thread's hooks read the counter as well;
//   - by a system call, for each event of a trace that does without the counter.
//
// The vDSO's function is called directly, because a program may define clock_gettime().
#pragma once

#include <time.h>

namespace ada::runtime {

// Whether the calling thread may read the CPU's counter. True if the system doesn't say.
bool mayReadCounter();

// All are async-signal-safe.
void readKernelClock(clockid_t clock, timespec &time);
void readKernelClockQuickly(clockid_t clock, timespec &time);
// If a filter refuses the call, the vDSO reads the clock.
void askKernelClock(clockid_t clock, timespec &time);

} // namespace ada::runtime
