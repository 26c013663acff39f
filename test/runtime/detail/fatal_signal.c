// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -o %t/p
// RUN: for k in segv abort handler overflow term kill; do rm -rf %t/session; %session:detail='*':detail_mode=window:pre_roll_ms=60000:trigger=signal %t/p $k; echo "$k: status $?"; adatrace recover %t/session > %t/recovered && %details windows %t/session && %details count %t/session; adatrace verify %t/session >&2 || exit 1; done | FileCheck %s
// A fatal signal is a trigger: the trace of a program that dies of it has the events before it, and the program dies as
// it would have. The same holds for deaths that nothing in the process sees: a stack that has overflowed, SIGTERM,
// SIGKILL. A signal that the program handles itself is not a trigger.
// CHECK: segv: status 139
// CHECK-NEXT: window of 1 triggers: signal
// CHECK: work calls=500 returns=500
// CHECK: abort: status 134
// CHECK-NEXT: window of 1 triggers: signal
// CHECK: work calls=500 returns=500
// CHECK: handler: status 7
// CHECK-NOT: window
// CHECK: overflow: status 139
// CHECK-NEXT: window of 1 triggers: signal
// CHECK: work calls=500 returns=500
// CHECK: term: status 143
// CHECK-NEXT: window of 1 triggers: signal
// CHECK: work calls=500 returns=500
// CHECK: kill: status 137
// CHECK-NEXT: window of 1 triggers: signal
// CHECK: work calls=500 returns=500
#include <ada/attributes.h>
#include <ada/trace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) int work(int a) { return sink = a; }
ADA_NEVER static void handler(int number) { _exit(number == SIGSEGV ? 7 : 8); }
ADA_NEVER __attribute__((noinline)) static int overflow(int n) {
  volatile int k = n;
  const int x = k * overflow(k + 1);
  __asm__ volatile(""); // prevents a loop
  return x;
}
ADA_NEVER int main(int argc, char **argv) {
  (void)argc;
  for (int i = 0; i < 500; ++i) {
    work(i);
    if (i == 250) // some events read by the drain, some not
      ada_flush();
  }
  if (!strcmp(argv[1], "abort"))
    abort();
  if (!strcmp(argv[1], "term"))
    kill(getpid(), SIGTERM);
  if (!strcmp(argv[1], "kill"))
    kill(getpid(), SIGKILL);
  if (!strcmp(argv[1], "overflow"))
    return overflow(1);
  if (!strcmp(argv[1], "handler")) // the runtime must not replace the program's own handler
    signal(SIGSEGV, handler);
  *(volatile int *)8 = 1;
}
