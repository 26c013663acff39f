// RUN: rm -rf %t && mkdir -p %t/a %t/b && %ada_clang -O1 %s -o %t/p
// RUN: cd %t/a && env ADA_OPTIONS=: %t/p && cd %t/b && env ADA_OPTIONS=' ' %t/p && env ADA_OPTIONS=' :: :' %t/p
// RUN: %calls tree --open=0 %t/a/ada-traces | FileCheck %s && %calls total %t/b/ada-traces | FileCheck %s --check-prefix=TWO
// RUN: ls %t/a/ada-traces | FileCheck %s --check-prefix=NAME
// With options that say nothing, a program records into ada-traces/session_YYYYMMDD_HHMMSS; two in one second get two.
// CHECK: main
// TWO: processes=2
// NAME: {{^}}session_{{20[0-9][0-9][01][0-9][0-3][0-9]_[0-2][0-9][0-5][0-9][0-6][0-9]$}}
int main(void) { return 0; }
