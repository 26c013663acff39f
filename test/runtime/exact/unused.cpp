// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clangxx -O2 -g %s -o p && env ADA_OPTIONS=session=s:detail=* ./p
// RUN: adatrace tree --args s | FileCheck %s --check-prefixes=CHECK,%arch --implicit-check-not=?
// RUN: %ada_clangxx -O0 -g %s -o p0 && env ADA_OPTIONS=session=s0:detail=* ./p0 && adatrace tree --args s0 | FileCheck %s --check-prefix=O0
// If the optimizer knows all calls, it removes parameters and results: these are shown as unused, and the others are in
// their new places. Without optimisation all are passed.
struct Point {
  long x, y;
};
#define KEEP __attribute__((noinline))
static volatile int sink;

// CHECK-DAG: removed(a=3, b=<unused>, c=5, d=2.5) → 11
// O0-DAG: removed(a=3, b=4, c=5, d=2.5) → 11
KEEP static int removed(int a, long b, int c, double d) {
  sink = a;
  return a * 2 + c + (d < 0);
}
// CHECK-DAG: constant(a=<unused>, p={x=1, y=2}) → 10
// O0-DAG: constant(a=7, p={x=1, y=2}) → 10
KEEP static long constant(int a, Point p) {
  sink = (int)p.x;
  return a + p.x + p.y;
}
// CHECK-DAG: ignored(a=9) → <unused>
// O0-DAG: ignored(a=9) → 10
KEEP static int ignored(int a) {
  sink = a;
  return a + 1;
}
// CHECK-DAG: visible(a=<unused>, b=6) → 6
// O0-DAG: visible(a=5, b=6) → 6
KEEP int visible(int a, int b) {
  sink = b;
  return b;
}
// Parts of a value in several registers are left out one by one. On AArch64 they are one array, which is passed whole.
struct Mix {
  int id;
  double weight;
};
struct Floats {
  float x, y, z;
};
// x86_64-DAG: id(in={id=10, weight=<unused>}) → 10
// aarch64-DAG: id(in={id=10, weight=20.5}) → 10
// O0-DAG: id(in={id=10, weight=20.5}) → 10
KEEP int id(Mix in) {
  sink = in.id;
  return in.id;
}
// x86_64-DAG: height(p={x=<unused>, y=<unused>, z=3.5}) → 3.5
// aarch64-DAG: height(p={x=1.5, y=2.5, z=3.5}) → 3.5
// O0-DAG: height(p={x=1.5, y=2.5, z=3.5}) → 3.5
KEEP float height(Floats p) {
  sink = (int)p.z;
  return p.z;
}
// x86_64-DAG: weight(in={id=<unused>, weight=20.5}) → 20.5
// aarch64-DAG: weight(in={id=10, weight=20.5}) → 20.5
// O0-DAG: weight(in={id=10, weight=20.5}) → 20.5
KEEP static double weight(Mix in) {
  sink = (int)in.weight;
  return in.weight;
}
int main() {
  int n = sink;
  sink = 0;
  id({10 + n, 20.5 + n});
  sink = 0;
  if (height({1.5f + n, 2.5f + n, 3.5f + n}) + weight({10 + n, 20.5 + n}) != 24)
    return 1;
  n = sink = 0;
  ignored(9 + n);
  n += removed(3 + n, 4 + n, 5 + n, 2.5 + n) - 11;
  return (int)constant(7, {1 + n, 2 + n}) + visible(5 + n, 6) - 16;
}
