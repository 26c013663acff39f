// RUN: rm -rf %t && mkdir %t && cd %t && %ada_clang -O1 %s -o program && (env ADA_OPTIONS=session=session ./program || true)
// RUN: not prlimit --as=4000000000 adatrace recover session 2>&1 | FileCheck %s
// RUN: adatrace recover session | FileCheck %s --check-prefix=LATER
// Where addresses are limited to less than a ring has, recovery says so, and works later.
// CHECK: cannot be mapped ({{[0-9]+}} bytes): Cannot allocate memory; addresses are limited (ulimit -v), {{.*}} try again without the limit
// LATER: 3 events of 1 thread
#include <signal.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(void) {
  work();
  return raise(SIGKILL);
}
