// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 -DROUNDS=$((375 / %less)) %s -pthread
// RUN: %calls total --open=0 %t/session | FileCheck %s -DTHREADS=$((375 / %less * 8 + 1)) -DEVENTS=$((375 / %less * 32 + 2))
// Thousands of threads, eight at a time, each with one call: each has its file, and nothing is lost.
// CHECK: processes=1 threads=[[THREADS]] events=[[EVENTS]] open=0 dropped=0
#include <pthread.h>
#include <stdio.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
void *thread(void *argument) {
  work();
  return argument;
}
int main(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    pthread_t t[8];
    for (int k = 0; k < 8; ++k)
      pthread_create(&t[k], NULL, thread, NULL);
    for (int k = 0; k < 8; ++k)
      pthread_join(t[k], NULL);
  }
  puts("done");
  return 0;
}
