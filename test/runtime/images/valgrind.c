// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -pthread -o %t/program
// RUN: %session:buffer=1M valgrind --error-exitcode=99 -q %t/program | FileCheck %s --check-prefix=OUT
// RUN: %calls count --open=0 %t/session | FileCheck %s
// REQUIRES: valgrind
// (the program) Under valgrind, which emulates every instruction and system call, a program is recorded without complaint.
// OUT: done
// CHECK-COUNT-2: work calls=3000 returns=3000
#include <pthread.h>
#include <stdio.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
void *thread(void *argument) {
  for (int i = 0; i < 3000; ++i)
    work();
  return argument;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  thread(NULL);
  pthread_join(t, NULL);
  puts("done");
  return 0;
}
