// RUN: %like_plain %t %ada_clang -O0 %s && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: %like_plain %t %ada_clang -O2 %s && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// longjmp: the calls that were jumped over end with an exception event, and later calls nest as before.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))

static jmp_buf outer, inner;
static sigjmp_buf fromSignal;
static volatile int turn;

NOINLINE void leaf(int n) { printf("leaf %d\n", n); }
NOINLINE void jump(jmp_buf *where) {
  leaf(1);
  longjmp(*where, 7);
}
NOINLINE void between(jmp_buf *where) {
  jump(where);
  leaf(99);
}
NOINLINE void again(void) {
  turn = 0;
  setjmp(inner);
  leaf(turn);
  if (++turn < 3)
    between(&inner);
}
NOINLINE void middle(void) {
  if (setjmp(inner) == 0)
    between(&outer);
  leaf(98);
}
NOINLINE int recursive(int n) {
  jmp_buf mine;
  if (setjmp(mine))
    return 1;
  if (n > 0)
    recursive(n - 1);
  between(&mine);
  return 0;
}
NOINLINE void handler(int s) {
  leaf(s);
  siglongjmp(fromSignal, 1);
}
NOINLINE void raises(void) { raise(SIGUSR1); }

// CHECK:      {{^}}main
int main(void) {
  // CHECK-NEXT: {{^}}  again
  // CHECK-NEXT: {{^}}    leaf
  // CHECK-NEXT: {{^}}    between (exception)
  // CHECK-NEXT: {{^}}      jump (exception)
  // CHECK-NEXT: {{^}}        leaf
  // CHECK-NEXT: {{^}}    leaf
  // CHECK-NEXT: {{^}}    between (exception)
  // CHECK-NEXT: {{^}}      jump (exception)
  // CHECK-NEXT: {{^}}        leaf
  // CHECK-NEXT: {{^}}    leaf
  again();
  // CHECK-NEXT: {{^}}  middle (exception)
  // CHECK-NEXT: {{^}}    between (exception)
  // CHECK-NEXT: {{^}}      jump (exception)
  // CHECK-NEXT: {{^}}        leaf
  if (setjmp(outer) == 0)
    middle();
  // CHECK-NEXT: {{^}}  recursive
  // CHECK-NEXT: {{^}}    recursive
  // CHECK-NEXT: {{^}}      between (exception)
  // CHECK-NEXT: {{^}}        jump (exception)
  // CHECK-NEXT: {{^}}          leaf
  // CHECK-NEXT: {{^}}    between (exception)
  // CHECK-NEXT: {{^}}      jump (exception)
  // CHECK-NEXT: {{^}}        leaf
  recursive(1);
  // CHECK-NEXT: {{^}}  raises (exception)
  // CHECK-NEXT: {{^}}    handler (exception)
  // CHECK-NEXT: {{^}}      leaf
  signal(SIGUSR1, handler);
  if (sigsetjmp(fromSignal, 1) == 0)
    raises();
  // CHECK-NEXT: {{^}}  leaf
  // CHECK-NOT:  {{.}}
  leaf(2);
  return 3;
}
