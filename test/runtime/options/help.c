// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/p
// RUN: %session:help=1 %t/p 2> %t/help | FileCheck %s --check-prefix=OUT && FileCheck %s < %t/help && %calls total %t/session
// RUN: sed -n 's/^ADA_OPTION([A-Za-z]*, \([a-z]*\),.*/\1/p' %include/../shared/options/options.inc > %t/names && test -s %t/names
// RUN: for name in $(cat %t/names); do grep "^  $name=" %t/help || exit 1; done
// help=1 prints every option of options.inc, and the program is recorded as usual.
// OUT: output
// CHECK: AdaTrace: options
// CHECK: {{^}}  output=DIR  Directory in which
// CHECK: {{^}}  overflow=block|drop
// CHECK: Default: block.
#include <stdio.h>
int main(void) {
  puts("output");
  return 0;
}
