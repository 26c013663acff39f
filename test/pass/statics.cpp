// RUN: %same_behaviour %s
// RUN: FileCheck %s < %t-O0.events
// Static constructors and destructors, and functions registered with atexit, run between registering and unregistering
// the image: they are recorded.
#include <cstdio>
#include <cstdlib>

struct Static {
  Static() { puts("constructed"); }
  ~Static() { puts("destroyed"); }
};
static Static object;
static void atEnd() { puts("at exit"); }
__attribute__((constructor(101))) static void early() { puts("early"); }
__attribute__((destructor(101))) static void late() { puts("late"); }

// CHECK: call _ZL5earlyv
// CHECK: call {{_ZN6StaticC[12]Ev}}
// CHECK: call main
// CHECK: call _ZL5atEndv
// CHECK: call {{_ZN6StaticD[12]Ev}}
// CHECK: call _ZL4latev
// CHECK-NEXT: return _ZL4latev
int main() { atexit(atEnd); }
