// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -o %t/p
// RUN: for k in segv abort handler; do rm -rf %t/session; %session:detail='*':detail_mode=window:pre_roll_ms=60000:trigger=signal %t/p $k; echo "status $?"; adatrace recover %t/session > %t/recovered && %details windows %t/session && %details count %t/session; adatrace verify %t/session >&2 || exit 1; done | FileCheck %s
// A fatal signal is a trigger: what led to it is in the trace of a program that died of it, and the program dies as it would have.
// One that the program handles itself is none.
// CHECK: status 139
// CHECK-NEXT: window of 1 triggers: signal
// CHECK: work calls=500 returns=500
// CHECK: status 134
// CHECK-NEXT: window of 1 triggers: signal
// CHECK: work calls=500 returns=500
// CHECK: status 7
// CHECK-NOT: window
#include <ada/attributes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) int work(int a) { return sink = a; }
ADA_NEVER static void handler(int number) { _exit(number == SIGSEGV ? 7 : 8); }
ADA_NEVER int main(int argc, char **argv) {
  (void)argc;
  for (int i = 0; i < 500; ++i)
    work(i);
  if (!strcmp(argv[1], "abort"))
    abort();
  if (!strcmp(argv[1], "handler")) // the program's own handler is not ours to replace
    signal(SIGSEGV, handler);
  *(volatile int *)8 = 1;
}
