// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include -I%S/../Inputs %s -pthread -o %t/p
// RUN: %session %t/p && adatrace verify -q %t/session && %calls total --open=0 %t/session | FileCheck %s
// REQUIRES: native
// (the drain is stopped by ptrace) As long as the buffer may grow, threads don't depend on the drain: if that gets no core, they make
// the buffer's memory themselves. Without that, the program would wait here until the alarm ends it.
// CHECK: threads=2 events=800002 open=0 dropped=0
#define _GNU_SOURCE
#include "stopped_drain.h"
#include <pthread.h>
__attribute__((noinline)) void call(void) { __asm__ volatile(""); }
ADA_NEVER static void *work(void *unused) {
  for (int i = 0; i < 200000; ++i)
    call();
  return unused;
}
ADA_NEVER int main(void) {
  call();
  alarm(60);
  const struct Stopped stopped = stopDrain();
  pthread_t other; // it has no chunk yet
  if (pthread_create(&other, 0, work, 0))
    return 1;
  work(0);
  pthread_join(other, 0);
  return goOn(stopped) ? 0 : 2;
}
