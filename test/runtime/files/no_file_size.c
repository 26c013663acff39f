// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/p
// RUN: bash -c 'ulimit -f 0; adatrace record --session %t/session %t/p; echo "status $?"' 2>&1 | FileCheck %s
// REQUIRES: native
// (An emulator would be killed itself.)
// Where files may have no bytes at all, the program runs untraced, and record says why nothing was recorded.
// CHECK: done
// CHECK: nothing was recorded: {{.*}}files are limited to 0 bytes (ulimit -f)
// CHECK: status 0
#include <stdio.h>
int main(void) {
  puts("done");
  return 0;
}
