// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O0 %s && %like_plain %t %ada_clang -O2 %s
// RUN: %calls total --open=0 %t/session | FileCheck %s
// The stack is aligned in and below hooked functions, and vector values survive hooks, including those that take the
// slow path: misaligned vectors would fault, and lost values would give wrong sums.
// CHECK: events=120002
#include <stdint.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline))
typedef float Floats __attribute__((vector_size(16)));
typedef int Ints __attribute__((vector_size(16)));

NOINLINE Floats step(Floats a, double d, Ints i) {
  volatile Floats copy = a;
  if ((uintptr_t)&copy % 16)
    puts("unaligned");
  return copy + (Floats){(float)i[0], 1, 0, (float)d};
}
NOINLINE Floats twice(Floats a, int n) {
  Floats keep = a * 0.5f;
  a = step(a, 2, (Ints){n & 1});
  a = step(a, 3, (Ints){n & 2});
  return a - keep * 0.25f;
}
int main(void) {
  Floats a = {0};
  for (int i = 0; i < 20000; ++i)
    a = twice(a, i);
  printf("%.6f %.6f %.6f %.6f\n", a[0], a[1], a[2], a[3]);
  return 0;
}
