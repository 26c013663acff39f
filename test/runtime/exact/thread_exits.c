// RUN: %like_plain %t %ada_clang -O0 %s -pthread && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: %like_plain %t %ada_clang -O2 %s -pthread && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// pthread_exit and cancellation leave C functions by unwinding: each has an exception event, with cleanup handlers inside.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))

static sem_t waiting, never;

NOINLINE void leaf(const char *text) { puts(text); }
NOINLINE void cleanup(void *text) { leaf(text); }
NOINLINE void leaves(void) {
  leaf("leaves");
  pthread_exit((void *)5);
}
NOINLINE void *exiting(void *argument) {
  leaves();
  return argument;
}
NOINLINE void blocks(void) {
  pthread_cleanup_push(cleanup, (void *)"cleanup");
  sem_post(&waiting);
  while (1)
    sem_wait(&never);
  pthread_cleanup_pop(0);
}
NOINLINE void *cancelled(void *argument) {
  blocks();
  return argument;
}

// CHECK:      thread 0:
// CHECK-NEXT: {{^}}main
// CHECK-NEXT: {{^}}  leaf
// CHECK-NEXT: thread 1:
// CHECK-NEXT: {{^}}exiting (exception)
// CHECK-NEXT: {{^}}  leaves (exception)
// CHECK-NEXT: {{^}}    leaf
// CHECK-NEXT: thread 2:
// CHECK-NEXT: {{^}}cancelled (exception)
// CHECK-NEXT: {{^}}  blocks (exception)
// CHECK-NEXT: {{^}}    cleanup
// CHECK-NEXT: {{^}}      leaf
// CHECK-NOT:  {{.}}
int main(void) {
  sem_init(&waiting, 0, 0);
  sem_init(&never, 0, 0);
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, exiting, NULL);
  pthread_join(thread, &result);
  int sum = (int)(long)result;
  pthread_create(&thread, NULL, cancelled, NULL);
  sem_wait(&waiting);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  leaf("end");
  return sum + (result == PTHREAD_CANCELED);
}
