// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -I%include -O1 %s -pthread
// RUN: %calls tree %t/session | FileCheck --strict-whitespace %s && adatrace verify -q %t/session
// RUN: %like_plain %t %ada_clang -I%include -O0 -DTRACED= %s -pthread && %calls tree %t/session | FileCheck --strict-whitespace %s --check-prefixes=CHECK,ALL
// A signal handler on an alternate stack calls setjmp and returns. A later jump there continues on a stack of its own, which has
// its own row. A handler that calls setjmp and jumps while it runs, or jumps out of the alternate stack, is a call inside the calls
// that it interrupts.
#include <ada/attributes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
#ifndef TRACED
#define TRACED ADA_NEVER
#endif
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif
static jmp_buf place[4]; // 0: the thread's
static sigjmp_buf out;
static char stacks[2][65536];
static int making;
NOINLINE int leaf(int n) {
  __asm__ volatile("" ::: "memory");
  return n + 1;
}
NOINLINE void go(int from, int to) {
  if (setjmp(place[from]) == 0)
    longjmp(place[to], 1);
}
NOINLINE void fails(jmp_buf *to) {
  leaf(0);
  longjmp(*to, 1);
}
NOINLINE void catches(void) {
  jmp_buf here;
  if (setjmp(here) == 0)
    fails(&here);
}
NOINLINE void body(int id) {
  for (;;) {
    catches();
    go(id, id == 1 ? 2 : 0);
  }
}
TRACED void become(int signal) {
  (void)signal;
  const int id = making;
  if (setjmp(place[id]) == 0)
    return;
  body(id);
}
NOINLINE void handle(int signal) {
  (void)signal;
  catches();
}
NOINLINE void escape(int signal) {
  leaf(signal);
  siglongjmp(out, 1);
}
NOINLINE void run(void (*handler)(int), int stack, int flags, int isRestored) {
  stack_t st = {.ss_sp = stacks[stack], .ss_size = sizeof stacks[stack], .ss_flags = flags}, old;
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_NODEFER};
  sigaction(SIGUSR2, &action, NULL);
  if (sigaltstack(&st, &old) != 0) // an old kernel, or an emulator
    st.ss_flags = 0, sigaltstack(&st, &old);
  if (sigsetjmp(out, 1) == 0)
    raise(SIGUSR2);
  if (isRestored)
    sigaltstack(&old, NULL);
}
int main(void) {
  making = 1;
  run(become, 0, 0, 1);
  making = 2;
  run(become, 1, (int)SS_AUTODISARM, 1);
  go(0, 1);
  go(0, 2);
  run(handle, 0, 0, 0); // the first stack ends
  run(escape, 0, 0, 0);
  making = 3;
  run(become, 0, 0, 0);
  go(0, 3);
  leaf(0);
  return 0;
}
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}main
// CHECK-NEXT: {{^}}  run
// ALL-NEXT:   {{^}}    become
// CHECK-NEXT: {{^}}  run
// ALL-NEXT:   {{^}}    become
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}  run
// CHECK-NEXT: {{^}}    handle
// CHECK-NEXT: {{^}}      catches
// CHECK-NEXT: {{^}}        fails (exception)
// CHECK-NEXT: {{^}}          leaf
// CHECK-NEXT: {{^}}  run
// CHECK-NEXT: {{^}}    escape (exception)
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}  run
// ALL-NEXT:   {{^}}    become
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}  leaf
// CHECK-NEXT: thread 1:
// CHECK-NEXT: {{^}}body (open)
// CHECK-NEXT: {{^}}  catches
// CHECK-NEXT: {{^}}    fails (exception)
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}  go (open)
// CHECK-NEXT: thread 2:
// CHECK-NEXT: {{^}}body (open)
// CHECK-NEXT: {{^}}  catches
// CHECK-NEXT: {{^}}    fails (exception)
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}  catches
// CHECK-NEXT: {{^}}    fails (exception)
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}  go (open)
// CHECK-NEXT: thread 3:
// CHECK-NEXT: {{^}}body (open)
// CHECK-NEXT: {{^}}  catches
// CHECK-NEXT: {{^}}    fails (exception)
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}  go (open)
// CHECK-NOT:  {{.}}
