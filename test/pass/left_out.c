// RUN: %clang_ada -O1 -c %s -o %t.o && readelf -p ada_left_out %t.o | FileCheck %s
// RUN: %clang_ada -O1 -mllvm -ada-before-inlining -c %s -o %t.o && readelf -p ada_left_out %t.o | FileCheck %s
// An object names the functions that can't have hooks, each once and with the reason, and no others.
// REQUIRES: x86_64
//
// CHECK-NOT: traced
// CHECK: bare
// CHECK-NEXT: naked:
// CHECK-NEXT: choose
// CHECK-NEXT: an ifunc resolver:
// CHECK-NOT: ] {{.}}
static int traced(void) { return 1; }
__attribute__((naked)) int bare(void) { __asm__("ret"); }
static int (*choose(void))(void) { return traced; }
int chosen(void) __attribute__((ifunc("choose")));
#ifdef __clang__
#define NEVER __attribute__((annotate("ada_never")))
#else
#define NEVER __attribute__((ada_never))
#endif
NEVER int never(void) { return 2; }
int main(void) { return chosen() + bare() + never(); }
