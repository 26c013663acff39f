// RUN: rm -rf %t && mkdir -p %t && %ada_gcc -O2 -fchecking %s -o %t/p && %session %t/p && %calls count %t/session | FileCheck %s
// REQUIRES: gcc-plugin, native
// GCC: a function whose calls are compiled as those of a function without side effects, before and after it has its hooks.
__attribute__((noinline)) static int pure(unsigned x) {
  if (!(x == 4 || x == 6) || (x == 2 || x == 6))
    return 1;
  return -1;
}
__attribute__((noinline, pure)) int declared(const int *x) { return *x + 1; }
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = -10; i < 10; i++)
    sum += pure(i * argc) + declared(&i);
  return sum == 18 + 10 ? 0 : 1;
}
// CHECK: declared calls=20 returns=20
// CHECK: pure{{.*}} calls=20 returns=20
