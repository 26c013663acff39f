// Atfork handlers, handlers of exit and quick_exit, and a pthread key whose destructor runs last.
#include "process_events.h"
#include "core/base/os.h"
#include "core/record/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

// These names are reserved for libc: a program may define sigaction() and pthread_key_create(). A weak function enters
// a static program only if something else needs it, so the program's own weak references resolve as they would without
// us. In glibc, pthread_create() needs the functions for thread-specific values, and fork() those for atfork.
extern "C" {
int ada_libc_sigaction(int, const struct sigaction *, struct sigaction *) __asm__("__sigaction");
// glibc calls all such handlers with the status as well. Handlers that are registered later run before.
int ada_libc_at_quick_exit(void (*)(void *, int), void *) __asm__("__cxa_at_quick_exit");
__attribute__((weak)) int ada_libc_key_create(pthread_key_t *, void (*)(void *)) __asm__("__pthread_key_create");
__attribute__((weak)) int ada_libc_setspecific(pthread_key_t, const void *) __asm__("pthread_setspecific");
__attribute__((weak)) int ada_libc_register_atfork(void (*)(), void (*)(), void (*)(),
                                                   void *) __asm__("__register_atfork");
}

namespace ada::runtime {
namespace {

ProcessCallbacks callbacks;
uint64_t signalsBeforeFork; // guarded by the locks that beforeFork takes
pthread_key_t key;
bool keyMade;
int exitStatus;

// Other handlers are registered later, so they run before this one and after the two below: the first to register is
// the innermost.
ADA_ANY_STACK void prepare() {
  touchStack<2 * kHookStack>(); // fork() itself goes on with our locks
  uint64_t signals = sys::blockSignals();
  callbacks.beforeFork();
  signalsBeforeFork = signals;
}
ADA_ANY_STACK void parent() {
  uint64_t signals = signalsBeforeFork;
  callbacks.parentAfterFork();
  sys::restoreSignals(signals);
}
ADA_ANY_STACK void child() {
  uint64_t signals = signalsBeforeFork;
  callbacks.childAfterFork();
  sys::restoreSignals(signals);
}

ADA_ANY_STACK void quickExit(void *, int status) { callbacks.quickExit(status); }

// PTHREAD_DESTRUCTOR_ITERATIONS in every libc. Clang's <limits.h> hides that name from freestanding code.
constexpr uint32_t kDestructorRounds = 4;

// pthread calls destructors in rounds, up to that many times, as long as they set values again. C++ thread_local
// objects are already gone by then. Waiting for the last round records what other destructors do.
ADA_ANY_STACK void threadExit(void *value) {
  if (++ada_thread.exitRounds < kDestructorRounds && ada_libc_setspecific(key, value) == 0)
    return;
  threadEnds();
}

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, // mistakes of the program
                          SIGTERM, SIGHUP, SIGQUIT};                         // how programs are ended
constexpr unsigned kMistakes = 6, kSignals = sizeof kFatal / sizeof *kFatal;
struct sigaction before[kSignals];
bool isWatched[kSignals];
struct sigaction scratch; // of whoever sets handlers, one thread at a time: a forked child may have little stack
void (*onFatal)(const siginfo_t &info, const void *context, bool isTheEnd);

// The system does not end the first process of a container by signals that are sent to it.
bool isSpared() { return sys::processId() == 1; }

// Whether an instruction of this thread caused the signal, so that it recurs when the handler returns.
bool isFault(const siginfo_t &info) {
  const int number = info.si_signo;
  return info.si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE);
}

// A signal that a thread has blocked may arrive while it waits in ppoll(), sigsuspend() or the like: these replace the
// mask for as long as they wait. The handler's return restores the thread's own mask, under which the signal would wait
// for the next such call.
void unblockAfterReturn(int number, void *context) {
  sigset_t &mask = static_cast<ucontext_t *>(context)->uc_sigmask;
  *reinterpret_cast<uint64_t *>(&mask) &= ~(uint64_t{1} << (number - 1));
}

ADA_ANY_STACK void fatalSignal(int number, siginfo_t *info, void *context) {
  for (unsigned i = 0; i < kSignals; ++i) {
    if (kFatal[i] != number)
      continue;
    const bool hasInfo = before[i].sa_flags & SA_SIGINFO, isTheEnd = !hasInfo && before[i].sa_handler == SIG_DFL;
    if (isTheEnd && isSpared() && !isFault(*info) && !(number == SIGTRAP && info->si_code > 0))
      return;
    int saved = errno;
    onFatal(*info, context, isTheEnd);
    errno = saved;
    if (hasInfo)
      return before[i].sa_sigaction(number, info, context);
    if (!isTheEnd)
      return before[i].sa_handler(number);
    ada_libc_sigaction(number, &before[i], nullptr);
    if (isFault(*info))
      return;
    unblockAfterReturn(number, context);
    sys::call(SYS_tgkill, sys::processId(), sys::threadId(), static_cast<long>(number));
  }
}

} // namespace

void watchFatalSignals(void (*callback)(const siginfo_t &info, const void *context, bool isTheEnd), bool alsoEndings) {
  onFatal = callback;
  const bool takesEndings = alsoEndings && !isSpared(); // otherwise they end nothing, and must not interrupt anything
  for (unsigned i = 0; i < (takesEndings ? kSignals : kMistakes); ++i) {
    if (isWatched[i]) // by an earlier call
      continue;
    isWatched[i] = true;
    ada_libc_sigaction(kFatal[i], nullptr, &before[i]); // before the handler is there, which reads it
    // Programs that it starts inherit "ignore", but no handler. A handler for what ends programs means that it does
    // not.
    const bool isDefault = before[i].sa_handler == SIG_DFL;
    if (before[i].sa_handler == SIG_IGN || (i >= kMistakes && !isDefault))
      continue;
    // A handler of the program runs as it would without us: it may leave by a jump, with the signals that it expects to
    // be blocked.
    scratch = before[i];
    scratch.sa_sigaction = fatalSignal;
    scratch.sa_flags = SA_SIGINFO | (isDefault ? SA_ONSTACK : before[i].sa_flags);
    ada_libc_sigaction(kFatal[i], &scratch, nullptr);
  }
}

void watchEndingsOfChild() {
  for (unsigned i = kMistakes; isSpared() && i < kSignals; ++i) {
    if (!isWatched[i] || ada_libc_sigaction(kFatal[i], nullptr, &scratch) != 0 || scratch.sa_sigaction != fatalSignal)
      continue;
    ada_libc_sigaction(kFatal[i], &before[i], nullptr);
    isWatched[i] = false;
  }
  watchFatalSignals(onFatal, /*alsoEndings=*/true);
}

void watchProcess(const ProcessCallbacks &c) {
  callbacks = c;
  if (&ada_libc_register_atfork)
    ada_libc_register_atfork(prepare, parent, child, nullptr); // for good: this code is never unloaded
  watchExitStatus();
  ada_libc_at_quick_exit(quickExit, nullptr);
  keyMade = &ada_libc_key_create && &ada_libc_setspecific && ada_libc_key_create(&key, threadExit) == 0;
}

void watchExitStatus() {
  on_exit([](int status, void *) { exitStatus = status; }, nullptr);
}

int processExitStatus() { return exitStatus; }

void watchThread() {
  if (keyMade)
    ada_libc_setspecific(key, &ada_thread);
}

bool watchingAllocates() { return keyMade && key >= 32; }

} // namespace ada::runtime
