// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s
// RUN: %calls tree %t/session | FileCheck --strict-whitespace %s
// RUN: %calls manifest %t/session process.exit.how | FileCheck %s --check-prefix=EXIT
// exec: earlier events are in the files, and the manifest says how the recording ended; the new program gets a separate
// directory. An exec that fails changes nothing.
#include <stdio.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
NOINLINE void leaf(const char *text) {
  puts(text);
  fflush(stdout);
}
NOINLINE void replace(const char *path) { execl(path, path, "again", (char *)NULL); }
// CHECK:      process 0:
// CHECK-NEXT: thread 0:
// CHECK-NEXT: {{^}}main (open)
// CHECK-NEXT: {{^}}  leaf
// CHECK-NEXT: {{^}}  replace{{$}}
// CHECK-NEXT: {{^}}  leaf
// CHECK-NEXT: {{^}}  replace (open)
// CHECK-NEXT: process 1:
// CHECK-NEXT: thread 0:
// CHECK-NEXT: {{^}}main
// CHECK-NEXT: {{^}}  leaf
// CHECK-NOT:  {{.}}
// EXIT: "exec"
// EXIT: "code"
int main(int argc, char **argv) {
  if (argc > 1) {
    leaf("again");
    return 6;
  }
  leaf("first");
  replace("/nowhere/at/all");
  leaf("second");
  replace(argv[0]);
  return 1;
}
