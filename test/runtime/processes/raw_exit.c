// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -pthread %s -o %t/run
// RUN: for o in clock=auto clock=tick drain_threads=3; do \
// RUN:   rm -rf %t/session && { %session:$o timeout 60 %t/run; test $? = 5; } && %calls manifest %t/session process.exit.code | grep -x process.exit.code=5 && adatrace verify %t/session; \
// RUN: done
// RUN: rm -rf %t/session && { %session timeout 60 %t/run worker; test $? != 124; } && %calls tree %t/session | FileCheck %s && adatrace verify %t/session
// REQUIRES: native
// Native: an emulator has threads of its own.
// Threads end by the raw system call, which nobody is told of: the only one, or `main` and then the last worker. The process ends,
// with a complete trace. (Where a worker is last, kernels differ in whose status counts.)
// CHECK: {{^  }}last
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) void last(void) { __asm__ volatile("" ::: "memory"); }
static void *worker(void *main_) {
  pthread_join(*(pthread_t *)main_, 0);
  last();
  syscall(SYS_exit, 7);
  return 0;
}
int main(int argc, char **argv) {
  static pthread_t self, other;
  (void)argv;
  self = pthread_self();
  if (argc > 1)
    pthread_create(&other, 0, worker, &self);
  syscall(SYS_exit, 5);
}
