// Starts the runtime's own threads: the drain, and with clock=tick the ticker.
#pragma once

#include <stdint.h>

namespace ada::runtime {

// Starts a thread that runs `body(argument)` with all signals blocked. It is not a pthread: pthread_create calls
// malloc, which may be the program's own, and a pthread of ours would keep a program alive after its last thread has
// called pthread_exit. The thread must not use thread-local variables, malloc, stdio or anything else from libc that is
// not a plain computation. It may read the CPU's counter even if its creator may not, where the system allows that.
// Async-signal-safe. Returns 0 or a negative errno.
int startOwnThread(void (*body)(void *), void *argument);

// Whether the process has no other thread than the calling one, its first. False if the system doesn't say.
bool isOnlyThreadOfProcess();

// From now on these threads end with this status. The last of them may decide the status of the process.
void ownThreadsEndWith(int status);

// The number of these threads that have not ended. A forked child has none: it calls forgetOwnThreads().
uint32_t ownThreads();
void forgetOwnThreads();

// Whether all threads except the main one are such threads, of any runtime in the process. They are recognised by name.
bool onlyOwnThreadsAreLeft();

// For the new thread: gives it its own table of open files, which is empty. Then the program can't close anything that
// the thread opens, and the thread takes no descriptor number that the program might use, and keeps none of the
// program's pipes open. False if the system does not allow it. Threads that it starts share the table.
bool takeOwnFileTable();
// Whether a filter (seccomp) may forbid the new thread what it does rarely, or even end the process for it. It finds
// that out with system calls that it makes anyway.
bool isFiltered();
// Whether the calling thread has such a table.
bool hasOwnFileTable();

// For the new thread: gives it its own root and current directory, which the program's chroot() and chdir() do not
// move. False if the system does not allow it, or if `directory` can't be entered.
bool takeOwnDirectory(const char *directory);

} // namespace ada::runtime
