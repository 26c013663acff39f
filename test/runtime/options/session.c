// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clang -O1 %s -o %t/p
// RUN: env ADA_OPTIONS=session=a/b/c %t/p && env ADA_OPTIONS=session=a/b/c %t/p && %calls total --open=0 %t/a/b/c | FileCheck %s
// RUN: env ADA_OPTIONS=output=o/p %t/p && %calls total --open=0 %t/o/p | FileCheck %s --check-prefix=ONE
// session=DIR is created if missing, relative to the directory in which the program was started, and shared by all
// programs that name it; output=DIR gets a new session.
// CHECK: processes=2
// ONE: processes=1
#include <unistd.h>
int main(void) { return chdir("/"); }
