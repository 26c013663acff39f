// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s -pthread
// RUN: %calls tree %t/session | FileCheck --strict-whitespace %s && adatrace verify -q %t/session
// setcontext to a place saved by getcontext: on the same stack it is a jump that leaves the calls above; from another stack it is a
// return to this one. A fiber that is abandoned in the middle stays open until its stack is given to another fiber.
#include <stdio.h>
#include <ucontext.h>
#define NOINLINE __attribute__((noinline))
static ucontext_t here, fiber;
static char stack[65536];
static volatile int times;
NOINLINE void jumps(int n) {
  if (n > 0)
    jumps(n - 1);
  setcontext(&here);
}
NOINLINE void sameStack(void) {
  getcontext(&here);
  if (times++ < 2)
    jumps(1);
}
void leavesForGood(void) { setcontext(&here); }
NOINLINE void otherStack(void) {
  times = 0;
  getcontext(&here);
  if (times++ < 2) {
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = sizeof stack;
    makecontext(&fiber, leavesForGood, 0);
    setcontext(&fiber);
  }
}
int main(void) {
  sameStack();
  otherStack();
  printf("%d\n", times);
  return 0;
}
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}main
// CHECK-NEXT: {{^}}  sameStack
// CHECK-NEXT: {{^}}    jumps (exception)
// CHECK-NEXT: {{^}}      jumps (exception)
// CHECK-NEXT: {{^}}    jumps (exception)
// CHECK-NEXT: {{^}}      jumps (exception)
// CHECK-NEXT: {{^}}  otherStack
// CHECK-NEXT: thread 1:
// CHECK-NEXT: {{^}}leavesForGood (open)
// CHECK-NEXT: thread 2:
// CHECK-NEXT: {{^}}leavesForGood (open)
// CHECK-NOT:  {{.}}
