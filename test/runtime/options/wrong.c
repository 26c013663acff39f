// RUN: rm -rf %t && mkdir -p %t/out && cd %t/out && %ada_clang -O1 %s -o %t/p
// RUN: env ADA_OPTIONS=nonsense=1 %t/p 2>&1 | FileCheck %s --check-prefixes=ONE,NAME
// RUN: env ADA_OPTIONS=format=3 %t/p 2>&1 | FileCheck %s --check-prefixes=ONE,CHOICE
// RUN: env ADA_OPTIONS=buffer=12Q %t/p 2>&1 | FileCheck %s --check-prefixes=ONE,SIZE
// RUN: env ADA_OPTIONS=format %t/p 2>&1 | FileCheck %s --check-prefixes=ONE,VALUE
// RUN: env ADA_OPTIONS="include='abc" %t/p 2>&1 | FileCheck %s --check-prefixes=ONE,QUOTE
// RUN: env ADA_OPTIONS=help=yes %t/p 2>&1 | FileCheck %s --check-prefixes=ONE,BOOL
// RUN: env ADA_OPTIONS="exclude=ok|$(printf 'x%%.0s' $(seq 1024))" %t/p 2>&1 | FileCheck %s --check-prefixes=ONE,LONG
// RUN: env ADA_OPTIONS='detail={{{{{{{{{a,b},c},c},c},c},c},c},c},c}' %t/p 2>&1 | FileCheck %s --check-prefixes=ONE,DEEP
// RUN: env ADA_OPTIONS='detail_mode=window:trigger=call:{{{{{{{{{a,b},c},c},c},c},c},c},c},c}' %t/p 2>&1 | FileCheck %s --check-prefixes=ONE,RULE
// RUN: test -z "$(ls -A %t/out)"
// A wrong option prints one line: which, why and where to look. The program runs untraced, and nothing is created.
// NAME:   AdaTrace: unknown option 'nonsense' in ADA_OPTIONS{{.*}}help=1{{.*}}runs untraced
// CHOICE: AdaTrace: option 'format' in ADA_OPTIONS: '3' is not 1|2{{.*}}runs untraced
// SIZE:   AdaTrace: option 'buffer' in ADA_OPTIONS: '12Q' is not a size like 4096, 64K, 16M or 1G, or auto{{.*}}runs untraced
// VALUE:  AdaTrace: option 'format' in ADA_OPTIONS has no value: write format=1|2{{.*}}runs untraced
// QUOTE:  AdaTrace: option 'include' in ADA_OPTIONS: the closing ' is missing{{.*}}runs untraced
// BOOL:   AdaTrace: option 'help' in ADA_OPTIONS: 'yes' is not 0|1{{.*}}runs untraced
// LONG:   AdaTrace: option 'exclude' in ADA_OPTIONS: '{{(x{60})}}' is longer than 1,023 characters.{{.*}}runs untraced
// DEEP:   AdaTrace: option 'detail' in ADA_OPTIONS: '{{[{]+}}a,b},c},c{{.*}}' has braces nested more than 8 deep.{{.*}}runs untraced
// RULE:   AdaTrace: option 'trigger' in ADA_OPTIONS: 'call:{{[{]+}}a,b}{{.*}}' has braces nested more than 8 deep.{{.*}}runs untraced
// ONE-NEXT: {{^}}output
// ONE-NOT: {{.}}
#include <stdio.h>
int main(void) {
  puts("output");
  return 0;
}
