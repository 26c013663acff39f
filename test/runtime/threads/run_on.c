// REQUIRES: slow
// RUN: rm -rf %t && mkdir %t && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: for i in 1 2 3 4 5; do rm -rf %t/session && known=$(%session %t/p) && adatrace verify -q %t/session && %calls total %t/session && \
// RUN:   recorded=$(%calls count --together %t/session | sed -n "s/^work calls=\([0-9]*\).*/\1/p") && test $recorded -ge $known; done > %t/said
// RUN: FileCheck %s < %t/said
// Threads continue while main calls exit, and after that. Their earlier calls are in the trace; later ones are counted.
// CHECK-COUNT-5: threads=3 {{.*}} dropped={{[0-9]+}}
#include <ada/attributes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
static struct {
  _Alignas(128) atomic_ulong calls;
} done[3];
ADA_NEVER static void *thread(void *number) {
  for (unsigned long n = 1;; ++n) {
    work();
    atomic_store_explicit(&done[(long)number].calls, n, memory_order_release);
  }
}
ADA_NEVER int main(void) {
  pthread_t t;
  for (long i = 0; i < 3; ++i)
    pthread_create(&t, NULL, thread, (void *)i);
  for (int i = 0; i < 3; ++i) // all of them are working
    while (atomic_load_explicit(&done[i].calls, memory_order_acquire) < 100)
      usleep(1000);
  usleep(20000);
  unsigned long sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += atomic_load_explicit(&done[i].calls, memory_order_acquire);
  printf("%lu\n", sum);
  exit(0);
}
