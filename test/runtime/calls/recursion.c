// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s
// RUN: %calls count --open=0 --only='^(down|up)$' %t/session | FileCheck %s
// RUN: rm -rf %t/session && env ADA_OPTIONS=session=%t/session:format=1 %t/traced && %calls total --open=0 %t/session | FileCheck %s --check-prefix=TOTAL
// Recursion 50,000 deep fills many chunks on its way down and grows the drain's stack of open calls; in version 1 of
// the format every event has its depth.
#include <stdio.h>
__attribute__((noinline)) unsigned up(unsigned n) { return n * 3 + 1; }
__attribute__((noinline)) unsigned down(unsigned n) {
  unsigned r = n ? down(n - 1) : 0;
  __asm__ volatile("" : "+r"(r) : : "memory");
  return r ^ up(n);
}
// CHECK: down calls=50001 returns=50001 exceptions=0
// CHECK: up calls=50001 returns=50001 exceptions=0
// TOTAL: events=200006
int main(void) {
  printf("%u\n", down(50000));
  return 0;
}
