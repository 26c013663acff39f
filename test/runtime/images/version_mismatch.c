// RUN: rm -rf %t && mkdir -p %t && %clang -O1 -I%include %s %runtime -o %t/program
// RUN: %session %t/program 2>&1 | FileCheck %s
// RUN: test ! -e %t/session
// An image with another ABI version is refused in one sentence that names both versions; the program continues.
// CHECK: {{^}}AdaTrace: {{.*}}ABI version 999{{.*}}version 3
// CHECK-NEXT: {{^}}goes on
#include <ada/abi.h>
#include <stdio.h>
int main(void) {
  static uint8_t byte;
  ada_image image = {999, 48, (const ada_function *)&byte, (const ada_function *)&byte, &byte, &byte + 1};
  __ada_register_image(&image);
  __ada_unregister_image(&image);
  fflush(stdout);
  fputs("goes on\n", stderr);
  return byte;
}
