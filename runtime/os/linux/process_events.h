// Fork, exit and the end of threads, as libc reports them.
#ifndef ADA_RUNTIME_OS_LINUX_PROCESS_EVENTS_H
#define ADA_RUNTIME_OS_LINUX_PROCESS_EVENTS_H

namespace ada {

struct ProcessCallbacks {
  // Called around fork in the forking thread, with all signals blocked.
  void (*beforeFork)();
  void (*parentAfterFork)();
  void (*childAfterFork)();
};

// Once per process; children inherit it.
void watchProcess(const ProcessCallbacks &callbacks);

// The status that exit() was called with, 0 before that. exit() runs what was registered last first, so who asks for
// the status in a destructor gets it only if this was called after libc has registered the dynamic linker's: again,
// from a constructor of the program.
void watchExitStatus();
int processExitStatus();

// Arranges that ada::threadEnds() is called when the calling thread ends, as late as pthread allows. Does nothing in a
// program without pthread_create(), which has no other threads.
void watchThread();

// Calls `callback` when a fatal signal (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP) arrives, then lets it do
// what it would have done without us: the program's own handler, or the end (`isTheEnd`). Handlers that the program
// sets later replace ours, and what it ignores stays ignored. Where no handler can run (a stack that has overflowed,
// SIGKILL) `adatrace record` and `adatrace recover` finish the trace.
void watchFatalSignals(void (*callback)(int number, bool isTheEnd));

// Defined by the core.
void threadEnds();

} // namespace ada
#endif
