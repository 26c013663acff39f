// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/p
// RUN: %session %t/p 2>&1 | count 0
// RUN: %session:summary=always %t/p 2>&1 | FileCheck %s
// The closing line is printed if requested, and by default only to a terminal.
// CHECK: AdaTrace: 4 events of 1 thread in {{.*}}/session/pid_{{[0-9]+}}{{.*}}; next: adatrace tree {{.*}}/session
// CHECK-NOT: {{.}}
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
int main(void) {
  leaf();
  return 0;
}
