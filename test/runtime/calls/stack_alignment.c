// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O0 %s && %like_plain %t %ada_clang -O2 %s
// RUN: %calls total --open=0 %t/session | FileCheck %s
// The stack is aligned in and below hooked functions, and vector values live on across hooks, those that take the slow
// path among them: aligned __m128 locals would fault, wrong sums would show.
// CHECK: events=120002
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline))

NOINLINE __m128 step(__m128 a, double d, __m128i i) {
  _Alignas(16) volatile float copy[4];
  _mm_store_ps((float *)copy, a);
  if ((uintptr_t)copy % 16)
    puts("unaligned");
  return _mm_add_ps(_mm_load_ps((float *)copy), _mm_set_ps((float)d, 0, 1, (float)_mm_cvtsi128_si32(i)));
}
NOINLINE __m128 twice(__m128 a, int n) {
  __m128 keep = _mm_mul_ps(a, _mm_set1_ps(0.5f));
  a = step(a, 2, _mm_set1_epi32(n & 1));
  a = step(a, 3, _mm_set1_epi32(n & 2));
  return _mm_sub_ps(a, _mm_mul_ps(keep, _mm_set1_ps(0.25f)));
}
int main(void) {
  __m128 a = _mm_setzero_ps();
  for (int i = 0; i < 20000; ++i)
    a = twice(a, i);
  float f[4];
  _mm_storeu_ps(f, a);
  printf("%.6f %.6f %.6f %.6f\n", f[0], f[1], f[2], f[3]);
  return 0;
}
