// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s -pthread
// RUN: %calls tree %t/session | FileCheck --strict-whitespace %s
// RUN: %calls total %t/session | FileCheck %s --check-prefix=TOTAL
// RUN: %calls manifest %t/session process.exit.how process.exit.code | FileCheck %s --check-prefix=EXIT
// RUN: adatrace verify %t/session
// fork: the child gets a separate directory with its own events and none of its parent's; the parent's other threads
// continue undisturbed; a child that records nothing leaves nothing.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))

NOINLINE void before(void) { __asm__ volatile(""); }
NOINLINE void parent(void) { __asm__ volatile(""); }
NOINLINE void inThread(void) { __asm__ volatile(""); }
NOINLINE void grandchild(void) { __asm__ volatile(""); }
NOINLINE void child(void) {
  before();
  if (fork() == 0) {
    grandchild();
    exit(4);
  }
  wait(NULL);
}
NOINLINE void *busy(void *argument) {
  for (int i = 0; i < 30000; ++i)
    inThread();
  return argument;
}
// CHECK:       process 0:
// CHECK-NEXT:  thread 0:
// CHECK-NEXT:  {{^}}main
// CHECK-NEXT:  {{^}}  before
// CHECK-NEXT:  {{^}}  parent
// CHECK-NEXT:  thread 1:
// CHECK-NEXT:  {{^}}busy
// CHECK-NOT:   parent
// CHECK:       process 1:
// CHECK-NEXT:  thread 0:
// CHECK-NEXT:  {{^}}child
// CHECK-NEXT:  {{^}}  before
// CHECK-NEXT:  process 2:
// CHECK-NEXT:  thread 0:
// CHECK-NEXT:  {{^}}grandchild
// CHECK-NOT:   {{.}}
// TOTAL: processes=3 threads=4 events=60014 open=0 dropped=0
// EXIT: code=7
// EXIT: code=3
// EXIT: code=4
int main(void) {
  before();
  pthread_t thread;
  pthread_create(&thread, NULL, busy, NULL);
  if (fork() == 0)
    _exit(9); // a child that records nothing
  wait(NULL);
  if (fork() == 0) {
    child();
    return 3;
  }
  int status = 0;
  wait(&status);
  parent();
  pthread_join(thread, NULL);
  printf("%d\n", WEXITSTATUS(status));
  return 7;
}
