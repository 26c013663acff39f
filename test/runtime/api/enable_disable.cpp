// RUN: rm -rf %t && mkdir -p %t && %ada_clangxx -O1 -I%include %s -o %t/p
// RUN: %session:include='none' %t/p && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// ada_enable and ada_disable choose by glob while the program runs: the last rule that matches a function decides. They
// return the number of functions that they matched, or an error for too many rules.
#include <ada/trace.h>
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
namespace net {
NOINLINE void read(int) { __asm__ volatile(""); }
NOINLINE void read(long) { __asm__ volatile(""); }
NOINLINE void write() { __asm__ volatile(""); }
} // namespace net
static void all() {
  net::read(1);
  net::read(1L);
  net::write();
}
static void expect(long expected, long found) {
  if (expected != found) {
    printf("%ld instead of %ld\n", found, expected);
    exit(1);
  }
}
// CHECK: thread 0:
int main() {
  all();
  // CHECK-NEXT: {{^}}net::read(int)
  // CHECK-NEXT: {{^}}net::read(long)
  expect(2, ada_enable("net::read"));
  all();
  // CHECK-NEXT: {{^}}net::read(int)
  expect(1, ada_disable("net::read(long)"));
  all();
  // CHECK-NEXT: {{^}}net::read(int)
  // CHECK-NEXT: {{^}}net::write()
  expect(2, ada_enable("_ZN3net5write*|net::read(int)"));
  all();
  expect(0, ada_enable("nothing like it"));
  ada_stop(); // rules may be changed meanwhile
  expect(3, ada_enable("net::*"));
  all();
  // CHECK-NEXT: {{^}}net::read(int)
  // CHECK-NEXT: {{^}}net::read(long)
  // CHECK-NEXT: {{^}}net::write()
  // CHECK-NOT: {{.}}
  ada_start();
  all();
  long rules = 0;
  while (ada_disable("net::*") == 3 && rules < 1000) // replaces the rule with the same glob
    ++rules;
  expect(1000, rules);
  char glob[] = "net::*|0000"; // these do not replace each other
  for (rules = 0; ada_disable(glob) == 3 && rules < 1000; ++rules)
    snprintf(glob, sizeof glob, "net::*|%04ld", rules);
  expect(-1, ada_disable(glob));
  expect(1, rules >= 200 && rules <= 256);
  expect(3, ada_disable("*") - ada_disable("*") + 3); // replaces all
  expect(3, ada_disable("net::*"));
  all();
}
