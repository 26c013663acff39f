// RUN: rm -rf %t && mkdir -p %t
// RUN: %like_plain %t %ada_clangxx -O1 %s -pthread -fPIE -pie && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: %like_plain %t %ada_clangxx -O1 %s -pthread -fno-pie -no-pie && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: %like_plain %t %ada_clangxx -O1 %s -pthread -static && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: %like_plain %t %ada_clangxx -O1 %s -pthread -static-pie && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: %like_plain %t %ada_clangxx -O1 %s -pthread --ada-static-runtime -Wl,--gc-sections -ffunction-sections -s && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// Position-independent and not, static and both, the static runtime in a dynamic program without unused sections and
// stripped: all are recorded in the same way, with names.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern "C" {
__attribute__((noinline)) void throws(int n) {
  if (n)
    throw n;
}
void unused() { throws(3); }
__attribute__((noinline)) void *thread(void *p) { return p; }
__attribute__((noinline)) void inChild() { puts("child"); }
__attribute__((noinline)) void late() { puts("late"); }
}
// CHECK:      process 0:
// CHECK-NEXT: thread 0:
// CHECK-NEXT: {{^}}main
// CHECK-NEXT: {{^}}  throws (exception)
// CHECK-NEXT: {{^}}late
// CHECK-NEXT: thread 1:
// CHECK-NEXT: {{^}}thread
// CHECK-NEXT: process 1:
// CHECK-NEXT: thread 0:
// CHECK-NEXT: {{^}}inChild
// CHECK-NEXT: {{^}}late
// CHECK-NOT:  {{.}}
int main() {
  atexit(late);
  try {
    throws(7);
  } catch (int e) {
    printf("%d\n", e);
  }
  fflush(stdout);
  pthread_t t;
  pthread_create(&t, nullptr, thread, nullptr);
  pthread_join(t, nullptr);
  if (fork() == 0) {
    inChild();
    exit(0);
  }
  wait(nullptr);
  return 21;
}
