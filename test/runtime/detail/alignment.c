// RUN: rm -rf %t && mkdir -p %t
// RUN: for o in 0 1 2 3; do %ada_clang --ada-off -O$o %s -o %t/plain -lm && %ada_clang -O$o %s -o %t/traced -lm && %t/plain > %t/plain.txt && %session:session=%t/O$o:detail=*:stack_size=256 %t/traced > %t/traced.txt && cmp %t/plain.txt %t/traced.txt && adatrace verify %t/O$o && %details total %t/O$o; done | FileCheck %s
// Vectors that are spilled or passed on the stack, aligned locals, dynamic stack and live floating-point values are
// unchanged while registers and stack are recorded around them.
// CHECK-COUNT-4: details={{[1-9][0-9]+}} files=1
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
typedef float Floats __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(16)));

NOINLINE Floats many(Floats a, Floats b, Floats c, Floats d, Floats e, Floats f, Floats g, Floats h, Floats i, Floats j) {
  return a + b * c - d + e * f - g + h * i - j; // the last two are on the stack
}
NOINLINE double aligned(int n, double x) {
  _Alignas(64) volatile double local[8] = {x, x * 2};
  if ((uintptr_t)local % 64)
    puts("unaligned");
  char dynamic[n + 1];
  memset(dynamic, n, sizeof dynamic);
  return local[0] + local[1] + dynamic[n];
}
NOINLINE long double extended(long double a, double b) { return a * b + 1; }
NOINLINE Doubles mixed(double s, Doubles v, float t, int n) {
  Doubles r = v;
  for (int i = 0; i < n; ++i) { // live across calls, in vector registers or spilled
    double q = aligned(i, s);
    r = r * (Doubles){0.5, 0.25} + (Doubles){q, (double)extended(q, t)};
  }
  return r;
}
int main(void) {
  Floats a = {0.5f, 1, 1.5f, 2};
  for (int i = 0; i < 200; ++i)
    a = many(a, a * 0.5f, a - 1, a, a * 0.25f, a, a + 2, a * 0.125f, a, a - 3) * 0.001f;
  Doubles d = mixed(1.25, (Doubles){3, 4}, 0.75f, 100);
  printf("%.9g %.9g %.9g %.9g %.17g %.17g\n", a[0], a[1], a[2], a[3], d[0], d[1]);
  return 0;
}
