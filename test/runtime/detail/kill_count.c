// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -pthread -o %t/p
// RUN: %session:detail=f not --crash %t/p
// RUN: adatrace recover -q %t/session && adatrace verify -q %t/session && %calls total %t/session | FileCheck %s
// RUN: rm -rf %t/session && %session:detail=f:format=packed not --crash %t/p
// RUN: adatrace recover -q %t/session && adatrace verify %t/session | FileCheck %s --check-prefix=PACKED
// The manifest is rewritten while the program runs, with the number of detail events at that time. After a kill there are more.
// CHECK: threads=2 events=8003 open=1 dropped=0
// PACKED: ok: 8,003 events, 8,000 detail events
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
__attribute__((noinline)) void f(int n) { __asm__ volatile("" : : "r"(n)); }
static void *run(void *p) { return p; }
int main(void) {
  pthread_t thread;
  for (int i = 0; i < 2000; ++i)
    f(i);
  usleep(1200000);
  pthread_create(&thread, 0, run, 0); // so that something has changed
  pthread_join(thread, 0);
  usleep(1500000);
  for (int i = 0; i < 2000; ++i)
    f(i);
  usleep(200000);
  kill(getpid(), SIGKILL);
}
