// RUN: rm -rf %t && mkdir -p %t
// RUN: for o in -O0 -O2; do rm -rf %t/session && %ada_clang $o %s -o %t/p && %session %t/p && adatrace verify %t/session && adatrace dump --format=jsonl %t/session || exit 1; done > %t/out
// RUN: FileCheck %s < %t/out
// Handlers run on separate stacks, above, below and between the frames that they interrupt: no call is mistaken for one
// that was left by a jump.
// CHECK-NOT: "exception"
#include <signal.h>
#include <stdlib.h>
#define BYTES 65536
#define NOINLINE __attribute__((noinline))
NOINLINE void inHandler(int n) {
  if (n)
    inHandler(n - 1);
  __asm__ volatile("");
}
NOINLINE void handler(int signal) { inHandler(signal % 3 + 2); }
NOINLINE void deep(int n) {
  char room[n % 7 * 100 + 1];
  __asm__ volatile("" : : "r"(room) : "memory");
  if (n % 3 == 0)
    raise(SIGUSR1);
  if (n)
    deep(n - 1);
  if (n % 4 == 0)
    raise(SIGUSR1);
  __asm__ volatile("");
}
NOINLINE void withStack(void *at) {
  stack_t stack = {.ss_sp = at, .ss_size = BYTES};
  sigaltstack(&stack, NULL);
  deep(60);
}
NOINLINE void inFrame(void) {
  char here[BYTES];
  withStack(here);
  __asm__ volatile("" : : "r"(here) : "memory");
}
int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  deep(30);
  inFrame();
  withStack(malloc(BYTES));
  inFrame();
}
