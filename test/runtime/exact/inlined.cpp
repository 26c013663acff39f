// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: for o in '-O1' '-O2 -g' '-O2 -flto=thin'; do \
// RUN:   %ada_clangxx --ada-before-inlining $o %s -o p && rm -rf session && %session:sched=0 ./p && adatrace verify -q session && adatrace tree session | cut -c24- | FileCheck %s --strict-whitespace && \
// RUN:   adatrace report --format=csv session | cut -d, -f2,4,9 | FileCheck %s --check-prefix=REPORT && adatrace convert -q session copy --force && adatrace tree copy | cut -c24- | FileCheck %s --strict-whitespace && \
// RUN:   adatrace dump --format=jsonl session | grep '"kind":"call"' | grep 'small(int)' | grep -c '"inlined":true' | FileCheck %s --check-prefix=COPIES && \
// RUN: adatrace graph --callers="small(int)" session | FileCheck %s --check-prefix=CALLERS && rm -rf some && %session:session=some:include='small*' ./p && adatrace report --format=csv some | cut -d, -f2,4 | FileCheck %s --check-prefix=SOME || exit 1; done
// A call in an inlined copy is marked; counts and figures belong to the function.
__attribute__((always_inline)) inline int small(int x) {
  __asm__ volatile("");
  return x * 3;
}
__attribute__((always_inline)) static inline int middle(int x) { return small(x) + small(x + 1); }
__attribute__((noinline)) int caller(int x) {
  __asm__ volatile("");
  return middle(x) + 1;
}
int (*volatile pointer)(int) = small;
// CHECK:      {{^}}  main{{$}}
// CHECK-NEXT: {{^}}    small(..){{$}}
// CHECK-NEXT: {{^}}    caller(..){{$}}
// CHECK-NEXT: {{^}}      middle(..) [inlined]{{$}}
// CHECK-NEXT: {{^}}        small(..) ×2 [inlined]{{$}}
// CHECK-NEXT: {{^}}    small(..) [inlined]{{$}}
// REPORT-DAG: {{^}}small(..),4,
// REPORT-DAG: {{^}}middle(..),1,
// REPORT-DAG: {{^}}caller(..),1,
// CALLERS: {{ 4  small\(..\)$}}
// COPIES: {{^}}3{{$}}
// SOME: function,calls
// SOME-NEXT: {{^}}small(..),4
// SOME-NOT: {{.}}
int main() { return pointer(1) + caller(2) + small(0) - 19; }
