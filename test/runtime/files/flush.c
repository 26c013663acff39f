// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: %session %t/p; stat -c %%s %t/session/pid_*/thread_*/index.atf | FileCheck %s
// RUN: adatrace recover -q %t/session && %calls total %t/session | FileCheck %s --check-prefix=ALL
// ada_flush() writes out everything recorded before it, however late the drain is: a program that is killed right after
// it has all that in its files, without the ring. A header and 2,400,001 events of 32 bytes; the thread that ended has
// a footer as well.
// CHECK: 76800096
// CHECK-NEXT: 76800128
// ALL: threads=2 events=4800001 open=1
#include <ada/trace.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
ADA_NEVER static void *thread(void *argument) {
  for (long i = 0; i < 1200000; ++i)
    work();
  return argument;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  thread(0);
  pthread_join(t, 0);
  ada_flush();
  kill(getpid(), SIGKILL);
  pause();
}
