// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include -pthread %s -o %t/p
// RUN: %session %t/p && %calls total --open=0 %t/session | FileCheck %s && adatrace verify %t/session
// A program has used up its address space (ulimit -v) when its trace is finished: the manifest still lists all threads.
// CHECK: threads=4 events=8008 open=0 dropped=0
#include <ada/attributes.h>
#include <ada/trace.h>
#include <pthread.h>
#include <sys/resource.h>
static pthread_barrier_t begun, limited;
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
ADA_NEVER static void *thread(void *argument) {
  work();
  pthread_barrier_wait(&begun);
  pthread_barrier_wait(&limited);
  for (int i = 0; i < 1000; ++i)
    work();
  return argument;
}
ADA_NEVER int main(void) {
  pthread_t t[3];
  pthread_barrier_init(&begun, 0, 4);
  pthread_barrier_init(&limited, 0, 4);
  for (int i = 0; i < 3; ++i)
    if (pthread_create(&t[i], 0, thread, 0))
      return 1;
  work();
  pthread_barrier_wait(&begun);
  ada_flush(); // the drain already has what it needs to follow these threads' calls
  struct rlimit none = {1, 1};
  if (setrlimit(RLIMIT_AS, &none))
    return 2;
  pthread_barrier_wait(&limited);
  for (int i = 0; i < 1000; ++i)
    work();
  for (int i = 0; i < 3; ++i)
    pthread_join(t[i], 0);
  return 0;
}
