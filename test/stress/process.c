// One of many short processes: it keeps the true counts of its calls in shared memory.
//
// processes.py makes each.inc, for thousands of traced functions: EACH(0), EACH(1) and so on.
//
//   process TRUTH SLOT PART CALLS [OPTION…]
//
// TRUTH is a file of entries: each image of a process takes one, with SLOT, PART and its pid. `begun` goes up before
// each call of a traced function and `ended` after it, so after a kill the trace has at least `ended` returns and at
// most `begun` calls. PART says what the image is: 0 was started by processes.py, 1 is a fork, 2 was executed.
//
//   threads           half of the calls are made in another thread
//   fork=early|half   forks before the first call or after half of the calls; the child makes half as many, and ends
//   orphan            does not wait for the child
//   exec=PATH         executes PATH (with PART 2) after half of the calls; with fork=, the child does so at once
//   end=return|_exit|quick_exit|raw
//   kill=begin:US     SIGKILL US microseconds after main() began; in a child, after the fork
//   kill=end:US       the same, from the moment when the process is about to end, or to execute
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct entry {
  uint64_t slot, part, pid, begun, ended, unused[3];
};
static struct {
  struct entry *entries; // the first one is a header: `slot` is how many are in use
  struct entry *own;
} truth;

static void newEntry(uint64_t slot, uint64_t part) {
  struct entry *own = &truth.entries[__atomic_add_fetch(&truth.entries->slot, 1, __ATOMIC_RELAXED)];
  own->slot = slot, own->part = part, own->pid = (uint64_t)getpid();
  truth.own = own;
}

static void call(unsigned which, unsigned depth);

#define EACH(n)                                                                                                        \
  __attribute__((noinline)) void counted##n(unsigned depth) {                                                          \
    if (depth > 0)                                                                                                     \
      call(n + depth * 977, depth - 1);                                                                                \
    __asm__ volatile("" : : : "memory");                                                                               \
  }
#include "each.inc"
#undef EACH
#define EACH(n) counted##n,
static void (*const kFunctions[])(unsigned) = {
#include "each.inc"
};
enum { kCount = sizeof kFunctions / sizeof *kFunctions };

static void call(unsigned which, unsigned depth) {
  __atomic_fetch_add(&truth.own->begun, 1, __ATOMIC_RELAXED);
  kFunctions[which % kCount](depth);
  __atomic_fetch_add(&truth.own->ended, 1, __ATOMIC_RELAXED);
}

// Some of them nested.
static void makeCalls(unsigned count) {
  for (unsigned i = 0; i < count; i += 1 + i % 8)
    call(i * 2654435761u >> 16, count - i > i % 8 ? i % 8 : 0);
}
static void *thread(void *count) {
  makeCalls((unsigned)(uintptr_t)count);
  return NULL;
}

// Killed by the system, so no other process must get the processor first.
static void killIn(unsigned microseconds) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
  const struct itimerspec when = {.it_value = {.tv_sec = 0, .tv_nsec = microseconds * 1000L + 1}};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0)
    abort();
}

static struct {
  const char *fork, *other, *end;
  unsigned killAtBegin, killAtEnd; // microseconds, or 0
  int threads, orphan;
} options = {.end = "return"};

static void end(void) {
  if (options.killAtEnd)
    killIn(options.killAtEnd);
  if (!strcmp(options.end, "_exit"))
    _exit(0);
  if (!strcmp(options.end, "quick_exit"))
    quick_exit(0);
  if (!strcmp(options.end, "raw"))
    syscall(SYS_exit_group, 0);
  exit(0);
}

static void executeOther(char **argv) {
  char *arguments[] = {(char *)options.other, argv[1], argv[2], "2", argv[4], NULL};
  if (options.killAtEnd)
    killIn(options.killAtEnd);
  execv(options.other, arguments);
  abort();
}

static void forkOne(char **argv, unsigned calls) {
  const pid_t child = fork();
  if (child == 0) {
    if (options.killAtBegin)
      killIn(options.killAtBegin);
    if (options.other)
      executeOther(argv);
    newEntry(strtoul(argv[2], NULL, 10), 1);
    makeCalls(calls / 2);
    end();
  }
  if (!options.orphan)
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv) {
  for (int i = 5; i < argc; ++i)
    if (!strncmp(argv[i], "fork=", 5))
      options.fork = argv[i] + 5;
    else if (!strncmp(argv[i], "exec=", 5))
      options.other = argv[i] + 5;
    else if (!strncmp(argv[i], "end=", 4))
      options.end = argv[i] + 4;
    else if (!strcmp(argv[i], "threads"))
      options.threads = 1;
    else if (!strcmp(argv[i], "orphan"))
      options.orphan = 1;
    else if (sscanf(argv[i], "kill=begin:%u", &options.killAtBegin) != 1 &&
             sscanf(argv[i], "kill=end:%u", &options.killAtEnd) != 1)
      return 2;
  if (options.killAtBegin)
    killIn(options.killAtBegin);
  const int fd = open(argv[1], O_RDWR);
  const off_t size = lseek(fd, 0, SEEK_END);
  truth.entries = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (truth.entries == MAP_FAILED)
    return 2;
  newEntry(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
  const unsigned calls = (unsigned)strtoul(argv[4], NULL, 10);
  if (options.fork && !strcmp(options.fork, "early"))
    forkOne(argv, calls);
  pthread_t other;
  if (options.threads && pthread_create(&other, NULL, thread, (void *)(uintptr_t)(calls / 2)) != 0)
    return 2;
  makeCalls(calls / 2);
  if (options.fork && !strcmp(options.fork, "half"))
    forkOne(argv, calls);
  if (options.other && !options.fork)
    executeOther(argv);
  if (!options.threads)
    makeCalls(calls / 2);
  else
    pthread_join(other, NULL);
  end();
}
