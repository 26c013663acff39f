// RUN: rm -rf %t && mkdir -p %t && %ada_clang -I%include -O1 %s -o %t/program && %session:enabled=0 %t/program
// RUN: %calls tree %t/session | FileCheck --strict-whitespace %s && adatrace verify -q %t/session
// Recording begins on a stack that is neither the first nor the last one: from there on, each stack has its row, whether it was
// entered by swapcontext or by a signal handler.
#include <ada/trace.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>
#define NOINLINE __attribute__((noinline))
static jmp_buf place[4]; // 0: the thread's
static ucontext_t start, back;
static char stacks[4][65536];
static int making;
NOINLINE void go(int from, int to) {
  if (setjmp(place[from]) == 0)
    longjmp(place[to], 1);
}
NOINLINE void work(int id) { go(id, (id + 1) % 4); }
NOINLINE void body(int id) {
  for (int i = 0;; i++) {
    if (id == 2 && i == 1)
      ada_start();
    work(id);
  }
}
NOINLINE void enter(int id) {
  if (setjmp(place[id]) == 0)
    swapcontext(&start, &back);
  body(id);
}
void become(int signal) {
  (void)signal;
  const int id = making;
  if (setjmp(place[id]) == 0)
    return;
  body(id);
}
NOINLINE void switches(int id) {
  getcontext(&start);
  start.uc_stack.ss_sp = stacks[id];
  start.uc_stack.ss_size = sizeof stacks[id];
  makecontext(&start, (void (*)(void))enter, 1, id);
  swapcontext(&back, &start);
}
NOINLINE void handles(int id) {
  stack_t st = {.ss_sp = stacks[id], .ss_size = sizeof stacks[id]}, old;
  struct sigaction action = {.sa_handler = become, .sa_flags = SA_ONSTACK};
  making = id;
  sigaction(SIGUSR2, &action, NULL);
  sigaltstack(&st, &old);
  raise(SIGUSR2);
  sigaltstack(&old, NULL);
}
int main(void) {
  handles(1);
  switches(2);
  switches(3);
  for (int i = 0; i < 4; i++)
    work(0);
  return 0;
}
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}work
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}work
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}work (open)
// CHECK-NEXT: {{^}}  go (open)
// CHECK-NEXT: thread 1:
// CHECK-NEXT: {{^}}work
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}work
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}work (open)
// CHECK-NEXT: {{^}}  go (open)
// CHECK-NEXT: thread 2:
// CHECK-NEXT: {{^}}work
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}work
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: thread 3:
// CHECK-NEXT: {{^}}work
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}work (open)
// CHECK-NEXT: {{^}}  go (open)
// CHECK-NOT:  {{.}}
