// RUN: rm -rf %t && mkdir -p %t
// RUN: for how in "" -static -static-pie -fno-plt; do \
// RUN:   rm -rf %t/session && %ada_clang -O1 $how --ada-static-runtime %s -o %t/run && %session %t/run && %calls tree %t/session | FileCheck %s; \
// RUN: done
// The header refers to the runtime weakly; an archive with the runtime is linked nevertheless.
// CHECK:      {{^}}main
// CHECK-NEXT: {{^}}  traced
#include <ada/trace.h>
__attribute__((noinline)) void traced(void) { __asm__ volatile(""); }
int main(void) {
  traced();
  return 0;
}
