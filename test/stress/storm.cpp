// A program that calls a traced function from everywhere, and keeps the true counts in shared memory.
//
//   storm TRUTH LIBRARY CALLS [threads=N] [signals=HZ] [forks] [loads] [fibers] [jumps] [namespace] [raw-exit]
//
// Only counted() and the library's function are traced. The program has its own clock and environment. With `jumps`,
// host.c jumps over calls of counted(): their ends are inferred, and `ended` does not count them.
//
// Each place that calls one of them has its own counter in the file TRUTH: `begun` goes up before the call and `ended`
// after it. So after a kill the trace has at least `ended` returns and at most `begun` calls; after CALLS calls per
// thread the program ends, and all calls that nothing jumped over have returned.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// The runtime must call neither of these.
extern "C" int clock_gettime(clockid_t, timespec *now) noexcept {
  now->tv_sec = 1, now->tv_nsec = 0;
  return 0;
}
extern "C" char *getenv(const char *) noexcept { return nullptr; }

// In host.c, which is not traced.
extern "C" void hostCall(void (*function)(void *), void *argument);
extern "C" void hostJump(void);

namespace {

constexpr uint64_t kCounters = 1 << 16;
struct Counter {
  uint64_t begun, ended;
};
struct Truth {
  uint64_t used; // counters
  Counter counters[kCounters];
};
Truth *truth;
uint64_t calls;
const char *library;

Counter &newCounter() {
  uint64_t n = __atomic_fetch_add(&truth->used, 1, __ATOMIC_RELAXED);
  if (n >= kCounters)
    abort();
  return truth->counters[n];
}

template <class F> void count(Counter &c, F &&call) {
  __atomic_fetch_add(&c.begun, 1, __ATOMIC_RELAXED);
  call();
  __atomic_fetch_add(&c.ended, 1, __ATOMIC_RELAXED);
}

} // namespace

// The recursion makes call stacks of several sizes; each level is a separate call. With `jumps` the innermost call
// leaves them all.
__attribute__((noinline)) void counted(Counter *inner, int depth, bool jumps = false) {
  if (depth > 0)
    count(*inner, [&] { counted(inner, depth - 1, jumps); });
  else if (jumps)
    hostJump();
  __asm__ volatile("" : : : "memory");
}

namespace {

void some(Counter &c, uint64_t n) {
  for (uint64_t i = 0; i < n; ++i)
    count(c, [&] { counted(&c, i % 64 == 0 ? 20 : 0); });
}

Counter *ofHandler;
void onSignal(int) {
  count(*ofHandler, [] { counted(nullptr, 0); });
}

void forkOne() {
  fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    ofHandler = &newCounter();
    some(newCounter(), calls / 10);
    _exit(0); // exit() takes a lock of libc, which another thread may have held in dlclose() at the fork
  }
  waitpid(child, nullptr, 0);
}

void loadOne(Counter &c) {
  void *handle = dlopen(library, RTLD_NOW);
  if (!handle)
    abort();
  auto *call = reinterpret_cast<void (*)()>(dlsym(handle, "countedInLibrary"));
  for (int i = 0; i < 10; ++i)
    count(c, call);
  dlclose(handle);
}

struct Fiber {
  ucontext_t context;
  Counter *counter;
  char stack[65536];
};
struct Ring {
  Fiber fibers[3];
  ucontext_t thread;
  int next;
};
void fiberBody(unsigned high, unsigned low, int number) {
  Ring &ring = *reinterpret_cast<Ring *>(static_cast<uint64_t>(high) << 32 | low);
  Fiber &f = ring.fibers[number];
  while (true) {
    some(*f.counter, 7);
    swapcontext(&f.context, &ring.thread);
  }
}
void *fiberThread(void *) {
  static __thread Ring ring;
  uint64_t address = reinterpret_cast<uint64_t>(&ring);
  for (int i = 0; i < 3; ++i) {
    Fiber &f = ring.fibers[i];
    f.counter = &newCounter();
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack;
    f.context.uc_stack.ss_size = sizeof f.stack;
    f.context.uc_link = nullptr;
    makecontext(&f.context, reinterpret_cast<void (*)()>(fiberBody), 3, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address), i);
  }
  for (uint64_t i = 0; i < calls / 7; ++i)
    swapcontext(&ring.thread, &ring.fibers[i % 3].context);
  return nullptr;
}

// Used at a thread's end: handlers in a thread whose thread-local storage is gone can't be recorded.
void blockSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

void *thread(void *) {
  some(newCounter(), calls);
  return nullptr;
}
// A new thread for each few calls.
void *threads(void *) {
  for (uint64_t done = 0; done < calls; done += 1000) {
    pthread_t t;
    auto *body = +[](void *) -> void * {
      some(newCounter(), 1000);
      blockSignals();
      return nullptr;
    };
    if (pthread_create(&t, nullptr, body, nullptr) == 0)
      pthread_join(t, nullptr);
  }
  return nullptr;
}
void *loads(void *) {
  Counter &c = newCounter();
  for (uint64_t i = 0; i < calls / 200; ++i)
    loadOne(c);
  return nullptr;
}
void *jumps(void *) {
  Counter &c = newCounter();
  auto *leave = +[](void *counter) {
    Counter &c = *static_cast<Counter *>(counter);
    count(c, [&] { counted(&c, 5, /*jumps=*/true); });
  };
  auto *stay = +[](void *counter) { some(*static_cast<Counter *>(counter), 3); };
  for (uint64_t i = 0; i < calls / 9; ++i) {
    hostCall(leave, &c);
    hostCall(stay, &c);
  }
  some(c, 1); // above all calls that were left
  return nullptr;
}
// The library again, with a separate libc and runtime.
void *nameSpace(void *) {
  Counter &c = newCounter();
  void *handle = dlmopen(LM_ID_NEWLM, library, RTLD_NOW);
  if (!handle)
    abort();
  auto *call = reinterpret_cast<void (*)()>(dlsym(handle, "countedInLibrary"));
  for (uint64_t i = 0; i < calls; ++i)
    count(c, call);
  dlclose(handle);
  return nullptr;
}
void *forks(void *) {
  for (uint64_t i = 0; i < calls / 5000; ++i)
    forkOne();
  return nullptr;
}

} // namespace

int main(int argc, char **argv) {
  int fd = open(argv[1], O_RDWR | O_CREAT, 0644);
  if (ftruncate(fd, sizeof(Truth)) != 0)
    return 1;
  truth = static_cast<Truth *>(mmap(nullptr, sizeof(Truth), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  library = argv[2];
  calls = strtoull(argv[3], nullptr, 10);
  pthread_t running[64];
  int count = 0;
  bool endsRaw = false;
  auto start = [&](void *(*body)(void *)) {
    auto both = +[](void *f) -> void * {
      reinterpret_cast<void *(*)(void *)>(f)(nullptr);
      blockSignals();
      return nullptr;
    };
    pthread_create(&running[count++], nullptr, both, reinterpret_cast<void *>(body));
  };
  for (int i = 4; i < argc; ++i) {
    int n = 0;
    if (sscanf(argv[i], "threads=%d", &n) == 1)
      for (int k = 0; k < n; ++k)
        start(k == 0 ? threads : thread);
    else if (sscanf(argv[i], "signals=%d", &n) == 1) {
      ofHandler = &newCounter();
      struct sigaction action = {};
      action.sa_handler = onSignal;
      action.sa_flags = SA_RESTART;
      sigaction(SIGALRM, &action, nullptr);
      itimerval timer = {{0, 1000000 / n}, {0, 1000000 / n}};
      setitimer(ITIMER_REAL, &timer, nullptr);
    } else if (!strcmp(argv[i], "forks"))
      start(forks);
    else if (!strcmp(argv[i], "loads"))
      start(loads);
    else if (!strcmp(argv[i], "fibers"))
      start(fiberThread);
    else if (!strcmp(argv[i], "jumps"))
      start(jumps);
    else if (!strcmp(argv[i], "namespace"))
      start(nameSpace);
    else if (!strcmp(argv[i], "raw-exit"))
      endsRaw = true;
  }
  for (int i = 0; i < count; ++i)
    pthread_join(running[i], nullptr);
  itimerval none = {};
  setitimer(ITIMER_REAL, &none, nullptr);
  puts("done");
  if (endsRaw) {
    fflush(stdout);
    syscall(SYS_exit, 0); // of the last thread
  }
  return 0;
}
