// RUN: rm -rf %t && mkdir -p %t && %ada_clang -I%include -O2 %s -o %t/program && %session %t/program
// RUN: %calls tree %t/session | FileCheck --strict-whitespace %s && adatrace verify -q %t/session
// RUN: %ada_clang -I%include -O0 %s -o %t/program && %session:session=%t/simple %t/program
// RUN: %calls tree %t/simple | FileCheck --strict-whitespace %s
// Recording begins, or a function is switched on, in a call that has called setjmp or getcontext; or the call is in another
// process, or its function is never traced. The jump back closes the calls that it leaves, and what comes next is not inside of
// them, although its frame is below theirs. (It has arguments on the stack.)
#include <ada/attributes.h>
#include <ada/trace.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
static jmp_buf place;
static ucontext_t context;
static volatile int sink, times;
static int isContext;
NOINLINE void leap(void) {
  if (isContext)
    setcontext(&context);
  longjmp(place, 1);
}
NOINLINE void mid(void) {
  sink++;
  leap();
  sink++;
}
NOINLINE void after(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
  sink += a + b + c + d + e + f + g + h + i + j;
}
#define AFTER() after(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
NOINLINE void started(void) {
  if (!setjmp(place)) {
    ada_start();
    mid();
  } else
    AFTER();
}
NOINLINE void context1(void) {
  times = 0;
  getcontext(&context);
  if (!times++) {
    ada_start();
    mid();
  } else
    AFTER();
}
NOINLINE void enabled(void) {
  if (!setjmp(place)) {
    ada_enable("enabled");
    mid();
  } else
    AFTER();
}
NOINLINE ADA_NEVER void never(void) {
  if (!setjmp(place))
    mid();
  else
    AFTER();
}
NOINLINE void forked(void) {
  int status;
  if (!setjmp(place)) {
    const pid_t child = fork();
    if (child == 0)
      mid();
    waitpid(child, &status, 0);
  } else {
    AFTER();
    _exit(0);
  }
}
int main(void) {
  ada_stop();
  started();
  ada_stop();
  isContext = 1;
  context1();
  isContext = 0;
  ada_disable("enabled");
  enabled();
  never();
  forked();
  AFTER();
  return 0;
}
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}main
// CHECK-NEXT: {{^}}  mid (exception)
// CHECK-NEXT: {{^}}    leap (exception)
// CHECK-NEXT: {{^}}  after
// CHECK-NEXT: {{^}}  mid (exception)
// CHECK-NEXT: {{^}}    leap (exception)
// CHECK-NEXT: {{^}}  after
// CHECK-NEXT: {{^}}  mid (exception)
// CHECK-NEXT: {{^}}    leap (exception)
// CHECK-NEXT: {{^}}  after
// CHECK-NEXT: {{^}}  mid (exception)
// CHECK-NEXT: {{^}}    leap (exception)
// CHECK-NEXT: {{^}}  after
// CHECK-NEXT: {{^}}  forked
// CHECK-NEXT: {{^}}  after
// CHECK-NEXT: process 1:
// CHECK-NEXT: thread 0:
// CHECK-NEXT: {{^}}mid (exception)
// CHECK-NEXT: {{^}}  leap (exception)
// CHECK-NEXT: {{^}}after
// CHECK-NOT:  {{.}}
