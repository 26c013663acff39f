// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 -I%include %s -pthread
// RUN: %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// A thread may begin to record in a signal handler.
#include <ada/attributes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sem_t ready, done;

// CHECK:      thread 1:
// CHECK-NEXT: {{^}}handler
// CHECK-NEXT: {{^}}  inner
// CHECK-NEXT: {{^}}after
// CHECK-NOT:  {{.}}
__attribute__((noinline)) void inner(void) { __asm__ volatile(""); }
void handler(int s) {
  (void)s;
  inner();
  sem_post(&done);
}
__attribute__((noinline)) void after(void) { puts("after"); }
ADA_NEVER static void *thread(void *argument) {
  sem_post(&ready);
  while (sem_wait(&done))
    ;
  after();
  return argument;
}
int main(void) {
  sem_init(&ready, 0, 0);
  sem_init(&done, 0, 0);
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  sem_wait(&ready);
  pthread_kill(t, SIGUSR1);
  pthread_join(t, NULL);
  return 0;
}
