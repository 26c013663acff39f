// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -I%include -O1 %s -pthread
// RUN: %calls tree %t/session | FileCheck --strict-whitespace %s && adatrace verify -q %t/session
// RUN: %like_plain %t %ada_clang -I%include -O0 %s -pthread && %calls tree %t/session | FileCheck --strict-whitespace %s
// RUN: %like_plain %t %ada_clang -I%include -O0 -DBUILTIN %s -pthread && %calls tree %t/session | FileCheck --strict-whitespace %s
// RUN: %ada_clang -I%include -O2 %s -pthread -o %t/program && %session:session=%t/killed not --crash %t/program kill && adatrace recover -q %t/killed
// RUN: %calls tree %t/killed | FileCheck --strict-whitespace %s --check-prefix=KILLED
// Stacks that are entered once, by swapcontext or setcontext, and then take turns by setjmp and longjmp: each has its row, and none
// of its calls is left by a jump, except where a coroutine jumps within its own stack. One moves to another thread, one
// forks, and one is given the stack of another one. A function that is not traced switches like any other.
#include <ada/attributes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
#if defined BUILTIN && !(defined __clang__ && defined __aarch64__)
typedef void *Place[5];
#define SET __builtin_setjmp
#define JUMP(place) __builtin_longjmp(place, 1)
#else
typedef jmp_buf Place;
#define SET _setjmp
#define JUMP(place) longjmp(place, 1)
#endif
static Place place[4]; // 0: the thread's
static ucontext_t start[4], back;
static char stacks[4][65536];
NOINLINE int leaf(int n) {
  __asm__ volatile("" ::: "memory");
  return n + 1;
}
NOINLINE void go(int from, int to) {
  if (SET(place[from]) == 0)
    JUMP(place[to]);
}
NOINLINE ADA_NEVER void goUntraced(int from, int to) {
  if (SET(place[from]) == 0)
    JUMP(place[to]);
}
NOINLINE void fails(Place *to) {
  leaf(0);
  JUMP(*to);
}
NOINLINE void catches(void) {
  Place here;
  if (SET(here) == 0)
    fails(&here);
}
NOINLINE void forks(void) {
  int status;
  const pid_t child = fork();
  if (child == 0) {
    leaf(0);
    _exit(0);
  }
  waitpid(child, &status, 0);
}
NOINLINE void first(int id) {
  for (int i = 0; i < 3; i++) {
    catches();
    go(id, 0);
  }
  forks();
  go(id, 0); // for good
}
NOINLINE void second(int id) {
  goUntraced(id, 1); // from one coroutine to another
  go(id, 0);
}
NOINLINE void enter(int id, int stack, void (*body)(int)) {
  getcontext(&start[id]);
  start[id].uc_stack.ss_sp = stacks[stack];
  start[id].uc_stack.ss_size = sizeof stacks[stack];
  makecontext(&start[id], (void (*)(void))body, 1, id);
  if (SET(place[0]) == 0) {
    if (id == 1)
      swapcontext(&back, &start[id]);
    else
      setcontext(&start[id]);
  }
}
void *other(void *unused) {
  go(0, 1);
  return unused;
}
NOINLINE void third(int id) {
  leaf(id);
  go(id, 0);
}
int main(int argc, char **argv) {
  pthread_t thread;
  (void)argv;
  enter(1, 1, first);
  enter(2, 2, second);
  go(0, 2);
  if (argc > 1)
    raise(SIGKILL);
  pthread_create(&thread, NULL, other, NULL);
  pthread_join(thread, NULL);
  go(0, 1); // back from the other thread
  enter(3, 2, third);
  return 0;
}
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}main
// CHECK-NEXT: {{^}}  enter
// CHECK-NEXT: {{^}}  enter
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}  enter
// CHECK-NEXT: thread 1:
// CHECK-NEXT: {{^}}first (open)
// CHECK-NEXT: {{^}}  catches
// CHECK-NEXT: {{^}}    fails (exception)
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}  catches
// CHECK-NEXT: {{^}}    fails (exception)
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}  catches
// CHECK-NEXT: {{^}}    fails (exception)
// CHECK-NEXT: {{^}}      leaf
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: {{^}}  forks
// CHECK-NEXT: {{^}}  go (open)
// CHECK-NEXT: thread 2:
// CHECK-NEXT: {{^}}second (open)
// CHECK-NEXT: {{^}}  go (open)
// CHECK-NEXT: thread 3:
// CHECK-NEXT: {{^}}other
// CHECK-NEXT: {{^}}  go
// CHECK-NEXT: thread 4:
// CHECK-NEXT: {{^}}third (open)
// CHECK-NEXT: {{^}}  leaf
// CHECK-NEXT: {{^}}  go (open)
// CHECK-NEXT: process 1:
// CHECK-NEXT: thread 0:
// CHECK-NEXT: {{^}}leaf
// CHECK-NOT:  {{.}}
// KILLED:      thread 0:
// KILLED-NEXT: {{^}}main (open)
// KILLED-NEXT: {{^}}  enter
// KILLED-NEXT: {{^}}  enter
// KILLED-NEXT: {{^}}  go
// KILLED-NEXT: thread 1:
// KILLED-NEXT: {{^}}first (open)
// KILLED-NEXT: {{^}}  catches
// KILLED-NEXT: {{^}}    fails (exception)
// KILLED-NEXT: {{^}}      leaf
// KILLED-NEXT: {{^}}  go
// KILLED-NEXT: {{^}}  catches
// KILLED-NEXT: {{^}}    fails (exception)
// KILLED-NEXT: {{^}}      leaf
// KILLED-NEXT: {{^}}  go (open)
// KILLED-NEXT: thread 2:
// KILLED-NEXT: {{^}}second (open)
// KILLED-NEXT: {{^}}  go (open)
// KILLED-NOT:  {{.}}
