// Threads, exceptions, virtual calls, recursion and memory: the number of calls of each function is known.
//
// The test reads this table, which lists every function of the program:
//   function          calls  left by exception
//   main                  1      0
//   work                  4      0
//   step               4000      0
//   Square::area       2000      0
//   Circle::area       2000      0
//   both               4004      0
//   through            4000    400
//   divide             4000    400
//   Cleanup::~Cleanup  4000      0
//   depth              4400      0
//   copy               4000      0
//   Counter::Counter      1      0
//   Counter::~Counter     1      0
//   last                  1      0
// No containers and no streams, because MemorySanitizer does not know what a libstdc++ built without it writes.
#include "shapes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static constexpr int kThreads = 4, kSteps = 1000;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;            // guarded by mutex
static volatile int ten = 10; // whose value no optimizer knows
#ifdef ADA_ZEROS
static volatile char zeros[ADA_ZEROS]; // more than code reaches in models for small programs
#else
static volatile char zeros[16];
#endif

struct Failure {
  int n;
};

struct Counter {
  NOINLINE Counter();
  NOINLINE ~Counter();
};
Counter::Counter() { puts("begin"); }
Counter::~Counter() { printf("end %ld\n", total); }
static Counter counter;

struct Cleanup {
  long *sum;
  NOINLINE ~Cleanup();
};
Cleanup::~Cleanup() { ++*sum; }

NOINLINE static int divide(int n) {
  if (n % ten == 0)
    throw Failure{n};
  return n / ten;
}

NOINLINE static int through(int n, long *sum) {
  Cleanup cleanup{sum};
  return divide(n) + 1;
}

NOINLINE static int depth(int n) {
  int more = n == 0 ? 0 : depth(n - 1);
  __asm__ volatile("" : "+r"(more)); // prevents a loop
  return more + 1;
}

// Small blocks and large ones.
NOINLINE static char *copy(const char *text, int n) {
  char *memory = new char[(size_t)n * 64 + 16];
  strcpy(memory, text);
  return memory;
}

NOINLINE static long step(int n) {
  long sum = shapes[n % 2]->area(n) + zeros[(size_t)n * 1000003 % sizeof zeros];
  try {
    sum += through(n, &sum);
  } catch (const Failure &failure) {
    sum += failure.n;
  }
  if (n % 100 == 0)
    sum += depth(9) + depth(99);
  char *memory = copy("text", n);
  sum += (long)strlen(memory);
  delete[] memory;
  return sum;
}

static void *work(void *) {
  long sum = both(0);
  for (int i = 0; i < kSteps; ++i)
    sum += step(i);
  pthread_mutex_lock(&mutex);
  total += sum;
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

static void last() { puts("last"); }

int main() {
  atexit(last);
  pthread_t threads[kThreads];
  for (pthread_t &t : threads)
    pthread_create(&t, nullptr, work, nullptr);
  for (pthread_t t : threads)
    pthread_join(t, nullptr);
  printf("%ld\n", total);
  return 7;
}
