// RUN: %same_behaviour %s
// RUN: FileCheck %s < %t-O0.events
// An exception that reaches noexcept ends the program as it does untraced.
// CHECK: call main
// CHECK: call _Z5stopsv
// CHECK-NEXT: call _Z7throwerv
// CHECK-NOT: exception _Z5stopsv
// CHECK: before exit 7
#include <cstdio>
#include <cstdlib>
#include <exception>

__attribute__((noinline)) void thrower() { throw 1; }
__attribute__((noinline)) void stops() noexcept { thrower(); }
int main() {
  std::set_terminate([] {
    puts("terminate");
    fflush(stdout);
    _Exit(7);
  });
  stops();
}
