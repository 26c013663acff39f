// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: %session:overflow=drop:buffer=256K %t/p > %t/calls && adatrace verify -q %t/session && %calls total %t/session > %t/total
// RUN: sed 's/.*events=\([0-9]*\).*dropped=\([0-9]*\).*/\1 \2/' %t/total > %t/numbers && read calls < %t/calls && read events dropped < %t/numbers && test $((events + dropped)) = $((2 * calls))
// Every event is counted of threads that never got memory, because others have it all, and that still run at the end.
#include <ada/attributes.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int stop;
static long calls;
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
ADA_NEVER static void *busy(void *argument) {
  long n = 0;
  while (!stop || n < 10000) {
    leaf();
    ++n;
  }
  __atomic_add_fetch(&calls, n, __ATOMIC_RELAXED);
  return argument;
}
ADA_NEVER static void *rare(void *done) {
  leaf();
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  __atomic_store_n((int *)done, 1, __ATOMIC_RELEASE);
  pause();
  return 0;
}
ADA_NEVER int main(void) {
  pthread_t t, all[6];
  for (int i = 0; i < 6; ++i)
    pthread_create(&all[i], 0, busy, 0);
  static int done[40];
  for (int i = 0; i < 40; ++i)
    pthread_create(&t, 0, rare, &done[i]);
  for (int i = 0; i < 40; ++i)
    while (!__atomic_load_n(&done[i], __ATOMIC_ACQUIRE))
      usleep(1000);
  stop = 1;
  for (int i = 0; i < 6; ++i)
    pthread_join(all[i], 0);
  printf("%ld\n", calls);
  return 0;
}
