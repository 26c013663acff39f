// RUN: %like_plain %t %ada_clangxx -std=c++20 -O0 %s -pthread && %calls tree --open=0 --only='^(main|made|gone|late|worker)' %t/session | FileCheck --strict-whitespace %s
// RUN: %like_plain %t %ada_clangxx -std=c++20 -O2 %s -pthread && %calls tree --open=0 --only='^(main|made|gone|late|worker)' %t/session | FileCheck --strict-whitespace %s
// Calls before and after main: static constructors and destructors, statics in functions, atexit, thread_local.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))

NOINLINE void made1() { puts("made 1"); }
NOINLINE void gone1() { puts("gone 1"); }
NOINLINE void made2() { puts("made 2"); }
NOINLINE void gone2() { puts("gone 2"); }
NOINLINE void made3() { puts("made 3"); }
NOINLINE void gone3() { puts("gone 3"); }
NOINLINE void madeThreadLocal() { puts("made thread local"); }
NOINLINE void goneThreadLocal() { puts("gone thread local"); }
NOINLINE void late() { puts("late"); }

struct One {
  One() { made1(); }
  ~One() { gone1(); }
} one;
struct Two {
  Two() { made2(); }
  ~Two() { gone2(); }
};
inline Two two;
struct Three {
  Three() { made3(); }
  ~Three() { gone3(); }
};
struct Local {
  int value = 4;
  Local() { madeThreadLocal(); }
  ~Local() { goneThreadLocal(); }
};
thread_local Local local;

extern "C" NOINLINE void *worker(void *) {
  printf("%d\n", local.value);
  return nullptr;
}

// CHECK:      thread 0:
// CHECK-DAG:  {{^}}made1()
// CHECK-DAG:  {{^}}made2()
// CHECK-NEXT: {{^}}main
// CHECK-NEXT: {{^}}  made3()
// CHECK-NEXT: {{^}}late()
// CHECK-NEXT: {{^}}gone3()
// CHECK-DAG:  {{^}}gone1()
// CHECK-DAG:  {{^}}gone2()
// CHECK-NEXT: thread 1:
// CHECK-NEXT: {{^}}worker
// CHECK-NEXT: {{^}}  madeThreadLocal()
// CHECK-NEXT: {{^}}goneThreadLocal()
// CHECK-NOT:  {{.}}
int main() {
  static Three three;
  atexit(late);
  pthread_t thread;
  pthread_create(&thread, nullptr, worker, nullptr);
  pthread_join(thread, nullptr);
  return 9;
}
