// Fork, exit and thread ends, as libc reports them.
#pragma once

#include <signal.h>

namespace ada::runtime {

struct ProcessCallbacks {
  // Called around fork in the forking thread, with all signals blocked.
  void (*beforeFork)();
  void (*parentAfterFork)();
  void (*childAfterFork)();
  // Called by quick_exit(), after the handlers of the program.
  void (*quickExit)(int status);
};

// Called once per process; children inherit it.
void watchProcess(const ProcessCallbacks &callbacks);

// The status that exit() was called with; 0 before that. exit() runs its handlers in reverse order of registration. A
// destructor that needs the status therefore gets it only if watchExitStatus() was called after libc registered the
// dynamic linker's handler: call it again from a constructor of the program.
void watchExitStatus();
int processExitStatus();

// Arranges for threadEnds() to be called when the calling thread ends, as late as pthread allows. Does nothing in
// a program without pthread_create(), which has no other threads.
void watchThread();
// Whether libc allocates memory when a thread first calls that, with the program's calloc(): it does for all keys but
// the first 32.
bool watchingAllocates();

// Calls `callback`, with what the handler was given, when a fatal signal (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT,
// SIGTRAP) arrives, then lets the signal do what it would have done without us: run the program's own handler, or end
// the process (`isTheEnd`). Handlers that the program sets later replace ours, and signals that it ignores stay
// ignored. Where no handler can run (after a stack overflow or SIGKILL), `adatrace record` and `adatrace recover`
// finish the trace. `alsoEndings`: SIGTERM, SIGHUP and SIGQUIT, too, as long as the program has no handler for them.
// SIGINT is left alone: Python, for one, handles it only if nobody else does. So are those three in the first process
// of a container, which signals that are sent to it do not end. May be called again, with more signals.
void watchFatalSignals(void (*callback)(const siginfo_t &info, const void *context, bool isTheEnd), bool alsoEndings);
// With `alsoEndings`, in a forked child: it may be the first process of a container, or its parent may have been that.
void watchEndingsOfChild();

// Defined by the core.
void threadEnds();

} // namespace ada::runtime
