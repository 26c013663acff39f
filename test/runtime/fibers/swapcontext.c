// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s -pthread
// RUN: %calls tree %t/session | FileCheck --strict-whitespace %s && adatrace verify -q %t/session
// RUN: %like_plain %t %ada_clang -O0 %s -pthread && %calls tree %t/session | FileCheck --strict-whitespace %s
// Two fibers and the thread's own stack take turns in the middle of their calls; the second fiber continues in another
// thread. Each has a separate row, in which every call has its return. A fiber that returns from its first function has
// ended; the next one on its stack is a different fiber.
#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>
#define NOINLINE __attribute__((noinline))
static ucontext_t thread, first, second;
static ucontext_t *back; // the context that runs the second fiber
static char stacks[2][65536];
static int turns;
NOINLINE void pause1(void) { swapcontext(&first, &thread); }
NOINLINE void pause2(void) { swapcontext(&second, back); }
NOINLINE void step(void (*pause)(void)) {
  ++turns;
  pause();
}
void one(void) {
  for (int i = 0; i < 3; ++i)
    step(pause1);
}
void two(void) {
  for (int i = 0; i < 3; ++i)
    step(pause2);
}
void again(void) { step(pause1); }
NOINLINE void resume(ucontext_t *from, ucontext_t *to) { swapcontext(from, to); }
NOINLINE void make(ucontext_t *c, int stack, ucontext_t *link, void (*f)(void)) {
  getcontext(c);
  c->uc_stack.ss_sp = stacks[stack];
  c->uc_stack.ss_size = sizeof stacks[stack];
  c->uc_link = link;
  makecontext(c, f, 0);
}
void *other(void *argument) {
  static ucontext_t here;
  back = &here;
  resume(&here, &second);
  return argument;
}
int main(void) {
  make(&first, 0, &thread, one);
  make(&second, 1, &thread, two);
  back = &thread;
  for (int i = 0; i < 2; ++i) {
    resume(&thread, &first);
    resume(&thread, &second);
  }
  pthread_t t;
  pthread_create(&t, NULL, other, NULL);
  pthread_join(t, NULL);
  resume(&thread, &second); // to its end
  resume(&thread, &first);
  resume(&thread, &first); // to its end
  make(&first, 0, &thread, again);
  resume(&thread, &first);
  resume(&thread, &first);
  printf("%d turns\n", turns);
  return 0;
}
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}main
// CHECK-NEXT: {{^}}  make
// CHECK-NEXT: {{^}}  make
// CHECK-NEXT: {{^}}  resume
// CHECK-NEXT: {{^}}  resume
// CHECK-NEXT: {{^}}  resume
// CHECK-NEXT: {{^}}  resume
// CHECK-NEXT: {{^}}  resume
// CHECK-NEXT: {{^}}  resume
// CHECK-NEXT: {{^}}  resume
// CHECK-NEXT: {{^}}  make
// CHECK-NEXT: {{^}}  resume
// CHECK-NEXT: {{^}}  resume
// CHECK-NEXT: thread 1:
// CHECK-NEXT: {{^}}one
// CHECK-NEXT: {{^}}  step
// CHECK-NEXT: {{^}}    pause1
// CHECK-NEXT: {{^}}  step
// CHECK-NEXT: {{^}}    pause1
// CHECK-NEXT: {{^}}  step
// CHECK-NEXT: {{^}}    pause1
// CHECK-NEXT: thread 2:
// CHECK-NEXT: {{^}}two
// CHECK-NEXT: {{^}}  step
// CHECK-NEXT: {{^}}    pause2
// CHECK-NEXT: {{^}}  step
// CHECK-NEXT: {{^}}    pause2
// CHECK-NEXT: {{^}}  step
// CHECK-NEXT: {{^}}    pause2
// CHECK-NEXT: thread 3:
// CHECK-NEXT: {{^}}other
// CHECK-NEXT: {{^}}  resume
// CHECK-NEXT: thread 4:
// CHECK-NEXT: {{^}}again
// CHECK-NEXT: {{^}}  step
// CHECK-NEXT: {{^}}    pause1
// CHECK-NOT:  {{.}}
