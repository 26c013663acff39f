// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: for o in -O0 -O2; do %ada_gxx $o -w -Wno-psabi %s -o p && rm -rf s && env ADA_OPTIONS=session=s:detail=*:stack_size=256 ./p && adatrace tree --args s | FileCheck %s || exit 1; done
// REQUIRES: gcc-plugin, native, x86_64
// GCC: a function that aligns its stack itself still shows what its caller has put there, and its calls end where they are jumped over.
#include <setjmp.h>
typedef int V8I __attribute__((vector_size(32)));
struct Large {
  long a[5];
};
volatile long sink, one = 1;
jmp_buf place;
__attribute__((noinline)) void leave(long n) {
  if (n == 2)
    longjmp(place, 1);
}
// CHECK: realigned(l={a=[11, 0, 0, 0, 12]}, n=1, {{.*}}) → [1, 2, 3, 4, 5, 6, 7, 8]
// CHECK-NEXT: leave(n=1)
// CHECK-NEXT: realigned(l={a=[21, 0, 0, 0, 22]}, n=2, {{.*}}) [left by exception]
// CHECK-NEXT: leave(n=2) [left by
// CHECK-NEXT: leave(n=3)
__attribute__((noinline)) V8I realigned(Large l, long n, ...) {
  volatile V8I vector = {1, 2, 3, 4, 5, 6, 7, 8};
  sink = l.a[0] + l.a[4];
  leave(n);
  return vector;
}
int main(int argc, char **) {
  V8I got = realigned({{argc * 11, 0, 0, 0, argc * 12}}, argc);
  if (setjmp(place) == 0)
    realigned({{argc * 21, 0, 0, 0, argc * 22}}, argc * 2);
  leave(3);
  return got[7] == 8 ? 0 : 1;
}
