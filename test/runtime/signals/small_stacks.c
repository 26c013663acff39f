// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clang -O1 -I%include -pthread -Wl,-z,now %s -o p
// RUN: for o in detail= detail=*:stack_size=256 clock=tick clock=system; do for first in handler thread coroutine; do rm -rf s && env ADA_OPTIONS=session=s:$o ./p $first > counts && adatrace verify -q s && adatrace report --format=csv s > report && %python %S/../Inputs/report_counts.py report counts || exit 1; done; done
// A hook needs no more than 1,280 bytes, also where it starts recording and where it takes the slow path: in a handler
// on an alternate stack that has that much more than the system asks for, in a thread with the smallest stack, and in a
// coroutine. Each ends at a guard page.
#define _GNU_SOURCE
#include "Inputs/call_at.h"
#include <ada/attributes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
enum { kHook = 1280, kOwn = 256, kBytes = 1 << 16 };
static int leaves;

NOINLINE void leaf(void) {
  ++leaves;
  __asm__ volatile("" ::: "memory");
}
ADA_NEVER static NOINLINE void calls(int n) {
  for (int i = 0; i < n; ++i)
    leaf();
}
// Memory with `bytes` above a guard page.
ADA_NEVER static char *guarded(size_t bytes) {
  char *memory = mmap(NULL, kBytes + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory, kBytes, PROT_NONE);
  return memory + kBytes;
}
ADA_NEVER static void onSignal(int signal) {
  (void)signal;
  calls(4000);
}
ADA_NEVER static void inHandler(void) {
  const size_t bytes = ((size_t)sysconf(_SC_MINSIGSTKSZ) + kHook + kOwn + 15) & ~(size_t)15;
  stack_t stack = {.ss_sp = guarded(bytes), .ss_size = bytes}, none = {.ss_flags = SS_DISABLE};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = onSignal, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  sigaltstack(&none, NULL);
}
ADA_NEVER static void *thread(void *argument) {
  calls(4000);
  return argument;
}
ADA_NEVER static void inThread(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  pthread_t t;
  pthread_create(&t, &attributes, thread, NULL);
  pthread_join(t, NULL);
}
ADA_NEVER static void coroutine(void) { calls(4000); }
ADA_NEVER static void inCoroutine(void) { callAt(guarded(kHook + kOwn) + kHook + kOwn, coroutine); }

ADA_NEVER int main(int argc, char **argv) {
  void (*const all[])(void) = {inHandler, inThread, inCoroutine};
  const char *const names[] = {"handler", "thread", "coroutine"};
  for (int isSecond = 0; isSecond < 2; ++isSecond)
    for (int i = 0; i < 3; ++i)
      if (argc > 1 && !strcmp(argv[1], names[i]) == !isSecond)
        all[i]();
  printf("leaf %d %d\n", leaves, leaves);
  return 0;
}
