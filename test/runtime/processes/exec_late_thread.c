// RUN: rm -rf %t && mkdir %t && %ada_clang -O1 -I%include %s -pthread -o %t/p && mkdir %t/rings
// RUN: adatrace record -q --packed --ring=%t/rings --session=%t/session %t/p && adatrace verify -q %t/session
// RUN: ls %t/rings | count 0
// RUN: cat %t/session/pid_*/manifest.json | grep -o '"event_count": *2,' | count 3
// A thread begins to record when everything has been written for an exec of another thread: the next program of that
// process leaves its ring alone, and what the thread recorded is in the trace.
#define _GNU_SOURCE
#include <ada/attributes.h>
#include <ada/trace.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
void __ada_before_exec(void);
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
ADA_NEVER static void *works(void *unused) {
  work();
  return NULL;
}
ADA_NEVER int main(int argc, char **argv) {
  work();
  if (argc > 1)
    return 0;
  pthread_t other;
  char *const again[] = {argv[0], "again", NULL};
  long (*volatile call)(long, ...) = syscall; // without a hook of its own
  __ada_before_exec();
  pthread_create(&other, NULL, works, NULL);
  pthread_join(other, NULL);
  ada_flush();
  call(SYS_execve, argv[0], again, environ);
}
