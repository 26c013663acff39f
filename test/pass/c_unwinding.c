// RUN: %same_behaviour %s
// RUN: FileCheck %s < %t-O0.events
// RUN: FileCheck %s < %t-O2.events
// pthread_exit and cancellation leave C code compiled without exceptions; calls are closed, cleanup handlers run.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static void handler(void *text) { printf("cleanup %s\n", (char *)text); }

static volatile int sink;

__attribute__((noinline)) int deep(int n) {
  if (n)
    return (sink = deep(n - 1)) + 1;
  pthread_exit((void *)5);
}
__attribute__((noinline)) void *exits(void *unused) {
  pthread_cleanup_push(handler, "exit");
  printf("%d\n", deep(2));
  pthread_cleanup_pop(1);
  return unused;
}
__attribute__((noinline)) void *cancelled(void *unused) {
  pthread_cleanup_push(handler, "cancel");
  pthread_barrier_wait(&barrier);
  for (;;)
    pause();
  pthread_cleanup_pop(1);
  return unused;
}

// CHECK: 1 0 return main
// CHECK-NEXT: 2 0 call exits
// CHECK-NEXT: 2 1 call deep
// CHECK-NEXT: 2 2 call deep
// CHECK-NEXT: 2 3 call deep
// CHECK-NEXT: 2 3 exception deep
// CHECK-NEXT: 2 2 exception deep
// CHECK-NEXT: 2 1 exception deep
// CHECK: 2 0 exception exits
// CHECK: 3 0 call cancelled
// CHECK: 3 0 exception cancelled
int main(void) {
  void *result;
  pthread_t t;
  pthread_create(&t, 0, exits, 0);
  pthread_join(t, &result);
  printf("%ld\n", (long)result);
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&t, 0, cancelled, 0);
  pthread_barrier_wait(&barrier);
  pthread_cancel(t);
  pthread_join(t, &result);
  printf("%d\n", result == PTHREAD_CANCELED);
  return 0;
}
