// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s
// RUN: %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: adatrace verify %t/session
// Calls nest in the trace as they do in the program.
#include <stdio.h>
#define NOINLINE __attribute__((noinline))
NOINLINE void leaf(const char *text) { puts(text); }
NOINLINE void inner(void) {
  leaf("a");
  leaf("b");
}
NOINLINE void outer(void) {
  inner();
  leaf("c");
}
// CHECK:      {{^}}main
// CHECK-NEXT: {{^}}  outer
// CHECK-NEXT: {{^}}    inner
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}    leaf
// CHECK-NEXT: {{^}}  leaf
// CHECK-NOT:  {{.}}
int main(void) {
  outer();
  leaf("d");
  return 11;
}
