// RUN: %like_plain %t %ada_clang -O0 %s && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: %like_plain %t %ada_clang -O2 %s && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// A musttail call ends the function that makes it: the callee comes after that function, not inside it.
#include <stdio.h>
#define NOINLINE __attribute__((noinline))

NOINLINE int even(int n);
NOINLINE int inner(int n) { return printf("inner %d\n", n) > 0; }
NOINLINE int odd(int n) {
  inner(n);
  if (n == 0)
    return 0;
  __attribute__((musttail)) return even(n - 1);
}
NOINLINE int even(int n) {
  if (n == 0)
    return 1;
  __attribute__((musttail)) return odd(n - 1);
}

// CHECK:      {{^}}main
// CHECK-NEXT: {{^}}  even
// CHECK-NEXT: {{^}}  odd
// CHECK-NEXT: {{^}}    inner
// CHECK-NEXT: {{^}}  even
// CHECK-NEXT: {{^}}  odd
// CHECK-NEXT: {{^}}    inner
// CHECK-NEXT: {{^}}  even
// CHECK-NEXT: {{^}}  inner
// CHECK-NOT:  {{.}}
int main(void) {
  int result = even(4);
  inner(result);
  return result + 6;
}
