// RUN: %ada_gcc -O2 -S %s -o - | FileCheck %s
// REQUIRES: gcc-plugin, x86_64
// GCC: while a function is switched off, nothing is saved for its hooks. What they may change is saved beside their calls.
double fused(double a, double b, double c) { return a * b + c; }
// CHECK-LABEL: {{^}}fused:
// CHECK:         movzbl .LADA
// CHECK-NEXT:    testq
// CHECK-NEXT:    jne
// CHECK-NOT:     mov
// CHECK:         mulsd %xmm1, %xmm0
// CHECK-NEXT:    addsd %xmm2, %xmm0
// CHECK-NEXT:    testq
// CHECK-NEXT:    jne
// CHECK-NOT:     mov
// CHECK:         ret
// CHECK:         movsd %xmm0, {{[0-9]+}}(%rsp)
// CHECK:         call *__ada_enter@GOTPCREL(%rip)
long general(long a, long b, long c) { return a * b + c; }
// CHECK-LABEL: {{^}}general:
// CHECK:         leaq (%rsp,%r{{[a-z0-9]+}}), %r10
// CHECK-NOT:     {{(push|pop)q}}
// CHECK:         call *__ada_enter@GOTPCREL(%rip)
