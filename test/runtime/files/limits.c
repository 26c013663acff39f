// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -pthread -o %t/p
// RUN: %session bash -c 'ulimit -n 16; exec %t/p 40' | FileCheck %s --check-prefix=OUT && %calls total --open=0 %t/session | FileCheck %s
// RUN: rm -rf %t/session && %session bash -c 'ulimit -f 100; exec %t/p 0' > %t/out 2>&1 && FileCheck %s --check-prefix=TIGHT < %t/out
// A few descriptors are enough; if the trace may not be written, the program runs untraced and says so once.
// OUT: done
// CHECK: threads=41 events=20120 open=0 dropped=0
// TIGHT-NOT: AdaTrace: {{.*AdaTrace: }}
// TIGHT: done
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_barrier_t barrier;
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
void *thread(void *argument) {
  for (int i = 0; i < 250; ++i)
    work();
  pthread_barrier_wait(&barrier); // all alive at once
  return argument;
}
int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 0;
  pthread_t t[64];
  pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  for (int i = 0; i < count; ++i)
    if (pthread_create(&t[i], &small, thread, NULL))
      return 1;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < count; ++i)
    pthread_join(t[i], NULL);
  for (int i = 0; i < 19; ++i)
    work();
  puts("done");
  return 0;
}
