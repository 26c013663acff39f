// REQUIRES: counter
// With clock=none the order of two threads' events is unknown: dump --merged warns, while a single thread needs no warning.
// RUN: rm -rf %t && mkdir %t && %ada_clang -O1 %s -o %t/program -lpthread && %session:session=%t/none:clock=none %t/program
// RUN: %session:session=%t/exact %t/program
// RUN: adatrace dump --merged %t/none 2>&1 | FileCheck %s
// RUN: adatrace dump --merged --thread=0 %t/none 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: adatrace dump %t/none 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: adatrace dump --merged %t/exact 2>&1 | FileCheck %s --check-prefix=KNOWN
// CHECK: none was recorded with clock=none: the order of events is known only within each thread
// KNOWN-NOT: clock=none
#include <pthread.h>
__attribute__((noinline)) static void *work(void *nothing) {
  __asm__ volatile("");
  return nothing;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, work, 0);
  work(0);
  return pthread_join(other, 0);
}
