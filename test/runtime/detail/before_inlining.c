// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O2 --ada-before-inlining %s -o %t/p && %session:format=2:detail='*' %t/p
// RUN: %details count %t/session | FileCheck %s && adatrace info %t/session | FileCheck %s --check-prefix=INFO
// With hooks before inlining, each call and each exit has one detail event, and arguments on the stack are in another
// one: there are more detail events than calls and exits, and info says so.
// CHECK-DAG: take calls=10 returns=10
// CHECK-DAG: main calls=1 returns=1
// INFO: detail {{[0-9]+}} events (those of vector registers and contents count apart), {{.*}}, of 2 functions (*)
// UNSUPPORTED: gcc
// (it has no hooks before inlining)
__attribute__((noinline)) static int take(long double number) { return (int)number; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += take((long double)sum + i);
  return sum == 0;
}
