// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -o %t/p
// RUN: %session %t/p && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s --check-prefix=ON
// RUN: %session:session=%t/off:enabled=0 %t/p && %calls tree --open=0 %t/off | FileCheck --strict-whitespace %s --check-prefix=OFF
// ada_start and ada_stop: calls that begin between them are recorded, with both ends; enabled=0 waits for the first.
#include <ada/trace.h>
#define NOINLINE __attribute__((noinline))
NOINLINE void one(void) { __asm__ volatile(""); }
NOINLINE void two(void) { __asm__ volatile(""); }
NOINLINE void stops(void) {
  one();
  ada_stop();
  two();
}
NOINLINE void starts(void) {
  two();
  ada_start();
  one();
}
// ON:       {{^}}main
// ON-NEXT:  {{^}}  one
// ON-NEXT:  {{^}}  stops
// ON-NEXT:  {{^}}    one
// ON-NEXT:  {{^}}  one
// ON-NEXT:  {{^}}  stops
// ON-NEXT:  {{^}}    one
// ON-NOT:   {{.}}
// OFF:      thread 0:
// OFF-NEXT: {{^}}one
// OFF-NEXT: {{^}}stops
// OFF-NEXT: {{^}}  one
// OFF-NOT:  {{.}}
int main(void) {
  one();
  stops();
  two();
  starts();
  stops();
  ada_stop();
  two();
  return 0;
}
