// RUN: rm -rf %t && mkdir -p %t
// RUN: %ada_clang -O2 -fPIC -S %s -o - | sed '/= __ada_leave/d; /\.set.*__ada_leave/d; s/__ada_leave/__ada_exit/' > %t/old.s
// RUN: %clang -c %t/old.s -o %t/old.o && llvm-nm -u %t/old.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: %ada_clang -O2 -DMAIN -c %s -o %t/new.o
// RUN: %ada_clang %t/new.o %t/old.o -o %t/program && %session %t/program && %calls tree %t/session | FileCheck %s
// RUN: rm -rf %t/session && %ada_clang --ada-static-runtime %t/old.o %t/new.o -o %t/program && %session %t/program && %calls tree %t/session | FileCheck %s
// RUN: rm -rf %t/session && %ada_clang -shared %t/old.o -o %t/libold.so && %ada_clang --ada-static-runtime %t/new.o -L%t -lold -Wl,-rpath,%t -o %t/program && %session %t/program && %calls tree %t/session | FileCheck %s
// Objects that were compiled before hooks had a second name, and call __ada_exit by that name, record in the same programs as new ones.
// SYMBOLS: U __ada_exit
// SYMBOLS-NOT: leave
// CHECK: main
// CHECK-NEXT: {{^ +}}old
// CHECK-NEXT: {{^ +}}leaf
// CHECK-NEXT: {{^ +}}leaf
int old(int x);
#ifdef MAIN
int main(void) { return old(1) - 5; }
#else
__attribute__((noinline)) static int leaf(int x) { return x + 1; }
int old(int x) { return leaf(x) + leaf(x + 1); }
#endif
