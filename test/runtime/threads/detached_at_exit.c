// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s -pthread
// RUN: %calls total %t/session | FileCheck %s && adatrace verify %t/session
// The program ends while detached threads record: the files have footers and nest.
// CHECK: threads=4
#include <pthread.h>
#include <stdio.h>
static volatile int running;
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
__attribute__((noinline)) void *thread(void *argument) {
  work();
  __atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST);
  while (1)
    work();
  return argument;
}
int main(void) {
  for (int i = 0; i < 3; ++i) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_detach(t);
  }
  while (running < 3)
    ;
  puts("end");
  return 3;
}
