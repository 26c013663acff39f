// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/p && chmod 755 %t/p && chown 1:1 %t/p && chmod 6755 %t/p
// RUN: %session %t/p | FileCheck %s && test ! -e %t/session
// REQUIRES: root, native
// (to give a file to another user; the system honours the bit on what it runs itself) A set-uid program does not write where its caller says: it runs untraced and silently.
// CHECK: output 1
#include <stdio.h>
#include <sys/auxv.h>
int main(void) {
  printf("output %d\n", (int)getauxval(AT_SECURE));
  return 0;
}
