// RUN: rm -rf %t && mkdir %t && cd %t && %ada_clang -O1 %s -o program
// RUN: prlimit --stack=65536:65536 adatrace record -o traces ./program > out 2> err && grep -x 65536 out && FileCheck %s < err
// RUN: prlimit --stack=65536:65536 adatrace report traces/session_* | FileCheck %s --check-prefix=REPORT
// RUN: prlimit --stack=65536:65536 adatrace why traces/session_* && prlimit --stack=65536:65536 adatrace verify traces/session_*
// The tool has a stack that is large enough under any limit, and the program that it records has the user's limit.
// CHECK-NOT: warning
// CHECK: adatrace: 4 events in {{.*}}, 0 dropped
// REPORT: {{ 1 .* work$}}
#include <stdio.h>
#include <sys/resource.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(void) {
  struct rlimit limit = {0};
  getrlimit(RLIMIT_STACK, &limit);
  printf("%llu\n", (unsigned long long)limit.rlim_cur);
  work();
  return 0;
}
