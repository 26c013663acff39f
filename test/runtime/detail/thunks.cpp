// RUN: rm -rf %t && mkdir -p %t
// RUN: for o in -O0 -O2; do %ada_clangxx $o -g --ada-pointees %s -o %t/p && %session:session=%t/s$o:detail='*':strings=16:pointees=64 %t/p && adatrace tree --args %t/s$o | FileCheck %s || exit 1; done
// A virtual function that is called through a second base is called through a thunk, which an optimizer may make the
// function itself. It has the same arguments, but `this` and a moved result are addresses of other objects.
#include <cstdio>
#define HERE __attribute__((noinline, weak)) // nobody knows what it does with arguments
struct First {
  long first = 1;
  virtual ~First() {}
};
struct Second {
  long second = 2;
  virtual int add(int n, const char *text, double d) { return n + text[0] + static_cast<int>(d); }
  virtual Second *self(int n) { return n ? this : nullptr; }
  virtual ~Second() {}
};
struct Both : First, Second {
  long third = 3;
  int add(int n, const char *text, double d) override { return n + text[1] + static_cast<int>(third + d); }
  Both *self(int n) override { return n ? this : nullptr; }
};
HERE int call(Second *second) { return second->add(3, "three", 2.5); }
HERE Second *same(Second *second) { return second->self(4); }

int main() {
  Both *both = new Both;
  // GCC makes some thunks only as machine code, without hooks.
  // CHECK: call(second=&{second=2})
  // CHECK-NEXT: Both::add(this={{0x[0-9a-f]+|.*third=3.}}, n=3, text={{"three"|0x[0-9a-f]+}}, d=2.5) → 112
  std::printf("%d\n", call(both));
  // CHECK: same(second=&{second=2})
  // CHECK-NEXT: thunk to Both::self(this=0x{{[0-9a-f]+}}, n=4) → 0x{{[0-9a-f]+$}}
  std::printf("%d\n", same(both) == both);
  delete both;
}
