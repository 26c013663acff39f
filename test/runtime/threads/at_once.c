// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s -pthread
// RUN: %session:buffer=1M:session=%t/small %t/traced && %calls total --open=0 %t/small | FileCheck %s
// 300 threads alive at once, more than there are chunks: each gets one beyond the limit of `buffer`.
// CHECK: threads=301 events=1202 open=0 dropped=0
#include <pthread.h>
#include <stdio.h>
static pthread_barrier_t barrier;
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
void *thread(void *argument) {
  work();
  pthread_barrier_wait(&barrier);
  return argument;
}
int main(void) {
  pthread_t t[300];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  pthread_barrier_init(&barrier, NULL, 300);
  for (int i = 0; i < 300; ++i)
    if (pthread_create(&t[i], &small, thread, NULL))
      return 1;
  for (int i = 0; i < 300; ++i)
    pthread_join(t[i], NULL);
  puts("done");
  return 0;
}
