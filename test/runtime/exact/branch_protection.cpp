// RUN: rm -rf %t && mkdir -p %t && env ADA_OPTIONS='detail=f*' %like_plain %t %ada_clangxx -O0 -mbranch-protection=standard %s
// RUN: %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s && %details count %t/session | FileCheck %s --check-prefix=DETAIL
// RUN: rm -rf %t && mkdir -p %t && env ADA_OPTIONS='detail=f*' %like_plain %t %ada_clangxx -O2 -mbranch-protection=standard %s
// RUN: %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s && adatrace dump --format=jsonl %t/session > %t/dump && grep -c '"lr":"0x' %t/dump | FileCheck %s --check-prefix=LR && not grep -E '"lr":"0x[0-9a-f]{13}' %t/dump
// REQUIRES: aarch64
// Signed return addresses and branch targets (PAC, BTI): hooks, exceptions through hooked frames and registers work as
// without them, and the recorded return address is the address without its signature.
// DETAIL: f(int) calls=4 returns=3
// LR: {{^7$}}
#include <stdio.h>
__attribute__((noinline)) int f(int n) {
  if (n == 3)
    throw n;
  return printf("%d\n", n);
}
struct Cleanup {
  ~Cleanup() { f(2); }
};
__attribute__((noinline)) int middle(int n) {
  Cleanup c;
  return f(n) + 1;
}
// CHECK:      {{^}}main
int main() {
  // CHECK-NEXT: {{^}}  middle(int)
  // CHECK-NEXT: {{^}}    f(int)
  // CHECK:      {{^}}    {{.*}}f(int)
  middle(1);
  try {
    // CHECK: {{^}}  middle(int) (exception)
    // CHECK-NEXT: {{^}}    f(int) (exception)
    middle(3);
  } catch (int) {
  }
}
