// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s -pthread
// RUN: %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: %calls manifest %t/session process.exit.how process.exit.code | FileCheck %s --check-prefix=EXIT
// main ends by pthread_exit and the process continues: the trace continues too, and the process ends with its last thread.
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}main (exception)
// CHECK-NEXT: thread 1:
// CHECK-NEXT: {{^}}thread
// CHECK-NEXT: {{^}}  work
// CHECK-NOT:  {{.}}
// EXIT: "code"
// EXIT: =0
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_t mainThread;
__attribute__((noinline)) void work(void) { puts("work"); }
__attribute__((noinline)) void *thread(void *argument) {
  pthread_join(mainThread, NULL);
  work();
  return argument;
}
int main(void) {
  mainThread = pthread_self();
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_exit(NULL);
}
