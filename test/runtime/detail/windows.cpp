// RUN: rm -rf %t && mkdir -p %t && %ada_clangxx -O1 -I%include %s -pthread -o %t/p
// RUN: for k in 'slow:slow>5ms' 'call:slow' 'exception:thr*' ; do %session:session=%t/w:detail='*':detail_mode=window:pre_roll_ms=50:post_roll_ms=20:trigger="$k" %t/p && %details windows %t/w && %details total %t/w && adatrace verify %t/w >&2 && rm -r %t/w; done | FileCheck %s --check-prefix=EACH
// RUN: %session:detail='*':detail_mode=window:pre_roll_ms=200:post_roll_ms=200 %t/p api && %details windows %t/session | FileCheck %s --check-prefix=API
// RUN: %session:session=%t/none:detail='*':detail_mode=window:trigger='call:nobody' %t/p && %details total %t/none | FileCheck %s --check-prefix=NONE
// RUN: %session:session=%t/some:detail='tick':detail_mode=window:pre_roll_ms=50:post_roll_ms=20:trigger='call:slow' %t/p && %details windows --only=^tick %t/some && %details count %t/some | FileCheck %s --check-prefix=SOME --implicit-check-not=calls
// RUN: %session:session=%t/v1:detail='*':format=1:detail_mode=window:pre_roll_ms=50:post_roll_ms=20:trigger='call:slow' %t/p && %details windows %t/v1 && adatrace verify %t/v1
// detail_mode=window keeps all calls and returns from the pre-roll before a trigger to the post-roll after it, on all
// threads, and no others. Links are then added to index events that were written long before.
// EACH: window of 1 triggers: slow slow()
// EACH-NEXT: details={{[1-9][0-9]+}} files=2
// EACH: window of 1 triggers: call slow()
// EACH-NEXT: details={{[1-9][0-9]+}} files=2
// EACH: window of 1 triggers: exception throws(int)
// EACH-NEXT: details={{[1-9][0-9]+}} files=2
// Two windows that touch become one.
// API: window of 1 triggers: api
// API-NEXT: window of 2 triggers: api, api
// NONE: details=0 files=0
// SOME: tick(int) calls={{[1-9]}}
#include <ada/trace.h>
#include <cstring>
#include <ctime>
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
ADA_NEVER static void sleepMs(double ms) {
  timespec t = {0, (long)(ms * 1e6)};
  nanosleep(&t, nullptr);
}
static volatile int sink, stop, rounds;
NOINLINE int tick(int n) {
  sink = n;
  return n;
}
NOINLINE void slow() { sleepMs(8); }
NOINLINE void throws(int n) {
  if (n >= 0)
    throw n;
}
NOINLINE void catches() {
  try {
    throws(1);
  } catch (int) {
    tick(0);
  }
}
ADA_NEVER static void ticks(int ms) {
  for (int i = 0; i < ms; ++i) {
    tick(i);
    sleepMs(1);
  }
}
ADA_NEVER static void *beside(void *argument) {
  for (; !stop; rounds = rounds + 1)
    ticks(1);
  return argument;
}
// A busy machine may let one thread wait: both are to have calls in each window.
ADA_NEVER static void awaitOther() {
  for (const int before = rounds; rounds < before + 2;)
    sleepMs(0.1);
}
ADA_NEVER int main(int argc, char **argv) {
  pthread_t t;
  pthread_create(&t, nullptr, beside, nullptr);
  ticks(100);
  if (argc > 1 && !strcmp(argv[1], "api")) {
    ada_trigger();
    ticks(450);
    ada_trigger();
    ticks(8);
    ada_trigger();
  } else {
    awaitOther();
    slow();
    ticks(5);
    awaitOther();
    catches();
  }
  ticks(100);
  stop = 1;
  pthread_join(t, nullptr);
}
