// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/crash
// RUN: for how in abort segv kill; do rm -rf %t/session && { %session:ring=%t %t/crash $how; test $? -gt 128; } 2>/dev/null && adatrace recover %t/session && %calls tree %t/session > %t/$how && adatrace verify %t/session && %calls count %t/session --only=many > %t/$how.count || exit 1; done
// RUN: FileCheck --strict-whitespace %s < %t/abort && FileCheck --strict-whitespace %s < %t/segv && FileCheck --strict-whitespace %s < %t/kill
// RUN: FileCheck %s --check-prefix=COUNT < %t/kill.count && FileCheck %s --check-prefix=COUNT < %t/segv.count
// RUN: test -z "$(find %t/session %t/adatrace-* -name ring 2>/dev/null; ls %t/adatrace-* 2>/dev/null)"
// A program dies by its own fault or by kill -9: recover finds every event up to the last moment. Only the trace is
// left.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
static volatile int *volatile nowhere;
NOINLINE void many(void) { __asm__ volatile(""); }
NOINLINE void last(void) { __asm__ volatile(""); }
NOINLINE void dies(const char *how) {
  last();
  if (!strcmp(how, "abort"))
    abort();
  if (!strcmp(how, "kill"))
    kill(getpid(), SIGKILL);
  *nowhere = 1;
}
NOINLINE void busy(void) {
  for (int i = 0; i < 100000; ++i)
    many();
}
// CHECK:      {{^}}main (open)
// CHECK-NEXT: {{^}}  last
// CHECK-NEXT: {{^}}  busy
// CHECK-NEXT: {{^}}    many
// CHECK:      {{^}}  dies (open)
// CHECK-NEXT: {{^}}    last
// CHECK-NOT:  {{.}}
// COUNT: many calls=100000 returns=100000
int main(int argc, char **argv) {
  last();
  busy();
  dies(argc > 1 ? argv[1] : "");
  return 0;
}
