// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clangxx --ada-off -g -O2 -DLIBRARY -c %s -o library.o
// RUN: %ada_clangxx -O2 -g -w '--ada-calls=lib_*' %s library.o -o p && env ADA_OPTIONS=session=s:detail=* ./p && adatrace tree --args s | FileCheck %s
// RUN: %ada_clangxx -O0 -g -w %s library.o -o p0 && env ADA_OPTIONS=session=s0:detail=* ./p0 && adatrace tree --args s0 | FileCheck %s --check-prefix=O0 --implicit-check-not='<unused>'
// An object that is passed by its address is unused only if the compiler proved that the function does not read it. If
// it just was not recorded, or callers may have left out some of it, it is unknown.
#define KEEP __attribute__((noinline))
struct Object {
  long a, b;
  Object(long n) : a(n), b(n + 1) {}
  Object(const Object &other) : a(other.a), b(other.b) {}
  ~Object() {}
};
extern "C" void lib_call(Object o, long n);
#ifdef LIBRARY
void lib_call(Object o, long n) {}
#else
static volatile long sink;
// CHECK-DAG: reads(o=?, n=1)
// O0-DAG: reads(o=?, n=1)
KEEP void reads(Object o, long n) { sink = o.a + o.b + n; }
// CHECK-DAG: ignores(o=<unused>, n=2)
// O0-DAG: ignores(o=?, n=2)
KEEP void ignores(Object o, long n) { sink = n; }
// CHECK-DAG: overwrites(o=<unused>, n=3)
KEEP void overwrites(Object o, long n) {
  o.a = o.b = n;
  sink = o.a + o.b;
}
// Some of it is written before it is read.
// CHECK-DAG: begins(o=?, n=4)
KEEP void begins(Object o, long n) {
  o.a = n;
  __asm__ volatile("" : : "r"(&o) : "memory");
  sink = o.b;
}
// The attribute is wrong, and GCC stores nothing for it.
// CHECK-DAG: promises(o=?, n=5)
// O0-DAG: promises(o=?, n=5)
KEEP __attribute__((const)) long promises(Object o, long n) { return o.a + n; }
struct Large {
  char text[100];
  Large(char c) { __builtin_memset(text, c, sizeof text); }
  Large(const Large &other) { __builtin_memcpy(text, other.text, sizeof text); }
  ~Large() {}
};
// CHECK-DAG: indexes(l=?, n=6)
KEEP void indexes(Large l, long n) { sink = l.text[n]; }
// CHECK-DAG: lib_call({{(o=)?}}?, {{(n=)?}}7)
int main(int n, char **) {
  reads(n, n);
  ignores(n, 2 * n);
  overwrites(n, 3 * n);
  begins(n, 4 * n);
  sink = promises(5 * n, 5 * n);
  indexes('x', 6 * n);
  lib_call(n, 7 * n);
}
#endif
