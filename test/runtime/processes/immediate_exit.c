// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s
// RUN: %calls tree %t/session | FileCheck --strict-whitespace %s
// RUN: %calls manifest %t/session process.exit.how process.exit.code | FileCheck %s --check-prefix=EXIT
// RUN: env ARGS=quick %like_plain %t %ada_clang -O1 %s && %calls tree %t/session | FileCheck --strict-whitespace %s --check-prefixes=CHECK,QUICK
// RUN: %calls manifest %t/session process.exit.how process.exit.code | FileCheck %s --check-prefix=EXIT
// RUN: env ARGS=quick %like_plain %t %ada_clang -O1 %s --ada-static-runtime -static && %calls tree %t/session | FileCheck --strict-whitespace %s --check-prefixes=CHECK,QUICK
// RUN: %calls manifest %t/session recorder.ring | xargs test ! -e && test ! -L %t/session/pid_*/ring
// _exit and quick_exit run no destructors, but the trace is complete nevertheless, with the handlers of quick_exit.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
NOINLINE void leaf(void) { __asm__ volatile(""); }
NOINLINE void handler(void) { leaf(); }
NOINLINE void ends(int quick) {
  leaf();
  if (quick) {
    at_quick_exit(handler);
    quick_exit(13);
  }
  _exit(13);
}
// CHECK:      {{^}}main (open)
// CHECK-NEXT: {{^}}  leaf
// CHECK-NEXT: {{^}}  ends{{.*$}}
// CHECK-NEXT: {{^}}    leaf
// QUICK-NEXT: {{^}}    handler
// QUICK-NEXT: {{^}}      leaf
// CHECK-NOT:  {{.}}
// EXIT: "code"
// EXIT: 13
int main(int argc, char **argv) {
  (void)argv;
  leaf();
  ends(argc > 1);
  return 1;
}
