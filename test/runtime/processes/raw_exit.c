// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -pthread %s -o %t/run
// RUN: for o in clock=auto clock=tick drain_threads=3; do for k in main worker both returns; do \
// RUN:   ADA_OPTIONS=enabled=0 timeout 60 %t/run $k; s=$?; echo "$o $k: $s"; \
// RUN:   rm -rf %t/session && { %session:$o timeout 60 %t/run $k; test $? = $s; } && %calls manifest %t/session process.exit.code | grep -x process.exit.code=$s && %calls tree %t/session | grep -q "^  last" && adatrace verify %t/session || exit 1; \
// RUN: done; done
// REQUIRES: native
// Native: an emulator has threads of its own.
// Threads end by the raw system call, which nothing can observe: the only thread; `main` and then the last worker; a
// worker after a `main` that ended normally; or `main`, before a worker that ends normally. The process ends with the
// same status as without AdaTrace, and with a complete trace that contains that status.
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) void last(void) { __asm__ volatile("" ::: "memory"); }
static const char *how;
static void *worker(void *main_) {
  pthread_join(*(pthread_t *)main_, 0);
  last();
  if (!strcmp(how, "returns"))
    return 0;
  syscall(SYS_exit, 7);
  return 0;
}
int main(int argc, char **argv) {
  static pthread_t self, other;
  (void)argc;
  how = argv[1];
  self = pthread_self();
  if (!strcmp(how, "main"))
    last();
  else
    pthread_create(&other, 0, worker, &self);
  if (!strcmp(how, "both"))
    pthread_exit(0);
  syscall(SYS_exit, 5);
}
