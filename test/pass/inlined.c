// RUN: %clang_ada -O2 -S -emit-llvm %s -o - -mllvm -ada-before-inlining | FileCheck %s
// Hooks that were inlined with their function refer to a separate entry: flags 4 (early) and 32 (inlined), the same
// enable byte, and a separate comdat. Hooks in the function itself keep the function's entry.
// CHECK-DAG: $__ada_fn.small.inlined = comdat any
// CHECK-DAG: @__ada_fn.small = linkonce_odr hidden constant {{.*}}@__ada_on.small{{.*}} i32 4,
// CHECK-DAG: @__ada_fn.small.inlined = linkonce_odr hidden constant {{.*}}@__ada_on.small {{.*}}@__ada_fn.small.inlined {{.*}} i32 36,{{.*}} section "ada_functions"{{.*}} comdat, align 16
// CHECK-DAG: @__ada_fn.gone.inlined = internal constant {{.*}} i32 38,
// CHECK-NOT: @__ada_fn.{{self|caller}}.inlined
__attribute__((always_inline)) inline int small(int x) { return x * 3; }
extern inline int small(int x);
__attribute__((always_inline)) static int gone(int x) { return small(x) + 1; }
__attribute__((noinline)) int self(int n) { return n < 2 ? n : n + self(n - 1) + self(n - 2); }
// CHECK-LABEL: define {{.*}}@small(
// CHECK-NOT: small.inlined
// CHECK: @__ada_fn.small{{[^.]}}
// CHECK-LABEL: define {{.*}}@self(
// CHECK-NOT: {{small|gone|self}}.inlined
// CHECK-LABEL: define {{.*}}@caller(
// CHECK-NOT: @__ada_fn.{{small|gone}}{{[^.]}}
// CHECK: @__ada_fn.gone.inlined
// CHECK-NOT: @__ada_fn.{{small|gone}}{{[^.]}}
// CHECK: @__ada_fn.small.inlined
// CHECK-NOT: @__ada_fn.{{small|gone}}{{[^.]}}
// CHECK: ret i32
int caller(int x) { return gone(x) + small(x) + self(x); }
