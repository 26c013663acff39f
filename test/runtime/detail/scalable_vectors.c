// RUN: rm -rf %t && mkdir -p %t
// RUN: for o in -O0 -O2; do %ada_clang $o -g -march=armv8-a+sve %s -o %t/p && %session:session=%t/s$o:detail='*' %t/p | FileCheck %s --check-prefix=OUTPUT && adatrace tree --args %t/s$o | FileCheck %s || exit 1; done
// Scalable vectors and predicates are not recorded: they are unknown, and what stands beside them is true.
// REQUIRES: aarch64
// UNSUPPORTED: gcc
#include <arm_sve.h>
#include <stdio.h>
#define HERE __attribute__((noinline, weak)) // may be replaced, so nobody knows what it does with arguments
HERE long add(long before, svint64_t v, svbool_t p, long behind) { return before + behind + svaddv_s64(p, v); }
HERE svint64_t twice(svint64_t v, int n) { return svmul_n_s64_x(svptrue_b64(), v, n); }
HERE double mixed(double d, svfloat64_t v, float f, svfloat64x2_t pair, double last) { return d + f + last + svaddv_f64(svptrue_b64(), v) + svaddv_f64(svptrue_b64(), svget2_f64(pair, 1)); }
HERE long many(svint64_t a, svint64_t b, svint64_t c, svint64_t d, svint64_t e, svint64_t f, svint64_t g, svint64_t h, svint64_t i, long n, double x) { return n + svaddv_s64(svptrue_b64(), i) + (long)x; }
// OUTPUT: right
// CHECK: add(before=1, v=?, p=?, behind=2) → {{[0-9]+$}}
// CHECK: twice(v=?, n=3) → ?
// CHECK: mixed(d={{2.5|[?]}}, v=?, f={{0.5|[?]}}, pair=?, last={{4.5|[?]}}) → {{[0-9.]+$}}
// CHECK: many(a=?, b=?, c=?, d=?, e=?, f=?, g=?, h=?, i=?, n=11, x=2.5) →
int main(void) {
  svbool_t p = svptrue_b64();
  svint64_t v = svdup_n_s64(7);
  printf("%ld\n", add(1, v, p, 2));
  printf("%s\n", svaddv_s64(p, twice(v, 3)) == 21 * (long)svcntd() ? "right" : "wrong");
  svfloat64_t f = svdup_n_f64(1.5);
  printf("%g\n", mixed(2.5, f, 0.5f, svcreate2_f64(f, f), 4.5));
  printf("%ld\n", many(v, v, v, v, v, v, v, v, v, 11, 2.5));
  return 0;
}
