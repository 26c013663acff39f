// REQUIRES: x86_64
// RUN: %clang_ada -O2 -g -S -emit-llvm %s -o - -mllvm -ada-before-inlining | FileCheck %s --implicit-check-not='@__ada_fn._mm'
// RUN: %clang_ada -O2 -S -emit-llvm %s -o - -mllvm -ada-before-inlining | FileCheck %s --implicit-check-not='@__ada_fn._mm'
// RUN: %clang_ada -O2 -g -S -emit-llvm %s -o - -mllvm -ada-before-inlining -mllvm -ada-system-headers | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: %clang_ada -O2 -g -S -emit-llvm %s -o /dev/null -mllvm -ada-before-inlining -mllvm -ada-why='_mm_add_ps' 2>&1 | FileCheck %s --check-prefix=WHY
// The intrinsics of the compiler's headers count as code from system headers; the user's own always-inlined functions
// do not.
#include <immintrin.h>

// CHECK-DAG: @__ada_fn.always{{(.inlined)?}} =
// CHECK-DAG: @__ada_fn.sum =
// ALL-DAG: @__ada_fn._mm_add_ps{{(.inlined)?}} =
// WHY: AdaTrace: _mm_add_ps: not traced: an intrinsic of the compiler's headers (always_inline and nodebug); -ada-system-headers traces it
static inline __attribute__((always_inline)) __m128 always(__m128 x, __m128 y) { return _mm_add_ps(x, y); }
float sum(const float *values) {
  __m128 x = always(_mm_loadu_ps(values), _mm_set1_ps(2.0f));
  return _mm_cvtss_f32(_mm_mul_ps(x, x));
}
