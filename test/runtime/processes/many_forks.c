// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s -pthread
// RUN: %calls total --open=0 %t/session | FileCheck %s
// REQUIRES: native
// (qemu-user 7 hangs when a program forks while its threads come and go, traced or not) Forks while other threads record and come and go: the runtime's locks are free in every child.
// CHECK: processes=41 {{.*}}dropped=0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
__attribute__((noinline)) void *shortThread(void *argument) {
  work();
  return argument;
}
static void *makeThreads(void *argument) {
  while (!stop) {
    pthread_t t;
    pthread_create(&t, NULL, shortThread, NULL);
    pthread_join(t, NULL);
  }
  return argument;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, makeThreads, NULL);
  int sum = 0;
  for (int i = 0; i < 40; ++i) {
    if (fork() == 0) {
      work();
      pthread_t own; // a child may also have threads
      pthread_create(&own, NULL, shortThread, NULL);
      pthread_join(own, NULL);
      exit(1);
    }
    int status;
    wait(&status);
    sum += WEXITSTATUS(status);
  }
  stop = 1;
  pthread_join(t, NULL);
  printf("%d\n", sum);
  return 0;
}
