// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_gcc -O2 -flto -w %s -o p && env ADA_OPTIONS=session=s:detail=* ./p && adatrace tree --args s | FileCheck %s
// REQUIRES: gcc-plugin, native
// GCC, -flto: the copies that the linker makes of functions have the parameters of the source, as far as they still exist.
volatile long sink;
struct pair {
  int a, b;
};
// CHECK-DAG: constant(a=<unused>, b=5, c=<unused>)
__attribute__((noinline)) static long constant(int a, long b, double c) {
  sink = a;
  return b + (long)c;
}
// CHECK-DAG: taken_apart(p=?, b=7) → 8
__attribute__((noinline)) static long taken_apart(struct pair *p, long b) { return p->a + b; }
int main(int argc, char **argv) {
  struct pair pair = {argc, 2};
  constant(3, argc * 5, 2.5);
  return taken_apart(&pair, 7 * argc) == 8 ? 0 : 1;
}
