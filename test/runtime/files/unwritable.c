// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/p && touch %t/file
// RUN: env ADA_OPTIONS=output=%t/file/traces %t/p 2>&1 | FileCheck %s
// RUN: env ADA_OPTIONS=session=%t/file %t/p 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: env ADA_OPTIONS=output=/proc/none %t/p 2>&1 | FileCheck %s --check-prefix=PROC
// If no trace can be made, one line says where, why and what to do; the program runs.
// CHECK: AdaTrace: cannot create the trace directory {{.*}}/file/traces: Not a directory. Choose another one with {{.*}} runs untraced.
// CHECK-NEXT: {{^}}output
// CHECK-NOT: {{.}}
// FILE: AdaTrace: cannot create {{.*}}/file{{.*}}: {{(Not a directory|File exists)}}{{.*}} runs untraced.
// FILE-NEXT: {{^}}output
// PROC: AdaTrace: cannot create the trace directory /proc/none: {{.*}} runs untraced.
// PROC-NEXT: {{^}}output
#include <stdio.h>
__attribute__((noinline)) void leaf(void) { puts("output"); }
int main(void) {
  leaf();
  return 0;
}
