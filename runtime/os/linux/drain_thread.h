// Starts the runtime's threads of its own: the drain, and with clock=tick the ticker.
#ifndef ADA_RUNTIME_OS_LINUX_DRAIN_THREAD_H
#define ADA_RUNTIME_OS_LINUX_DRAIN_THREAD_H

#include <stdint.h>

namespace ada {

// Starts a thread that runs `body(argument)` with all signals blocked. Not a pthread: pthread_create calls malloc,
// which may be the program's own, and a pthread of ours would keep a program alive whose last thread has called
// pthread_exit. The thread must not use thread-local variables, malloc, stdio or anything else of libc that is not a
// plain computation. Async-signal-safe. Returns 0 or a negative errno.
int startOwnThread(void (*body)(void *), void *argument);

// From now on such threads end with this status: whichever is the last, it may be the process's.
void ownThreadsEndWith(int status);

// How many such threads have not ended; after a fork there are none.
uint32_t ownThreads();
void forgetOwnThreads();

// Whether all threads but the main one are such threads, of whichever runtime in the process: they have a name.
bool onlyOwnThreadsAreLeft();

// For the new thread: its own table of open files, with nothing in it but `keep` (if that is not -1). Then nothing that
// it opens can be closed by the program, nor takes a number that the program might use, nor holds a pipe of the program
// open. False if the system does not allow it.
bool takeOwnFileTable(int keep);

// For the new thread: a root and a current directory of its own, which the program's chroot() and chdir() do not move.
// False if the system does not allow it, or if `directory` can't be entered.
bool takeOwnDirectory(const char *directory);

} // namespace ada
#endif
