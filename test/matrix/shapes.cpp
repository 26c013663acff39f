// Virtual functions, and a function that is never called.
#include "shapes.h"

namespace {

// Their code is the same: without the hooks, --icf=all would keep only one of them.
struct Square final : Shape {
  NOINLINE long area(int n) const override;
};
struct Circle final : Shape {
  NOINLINE long area(int n) const override;
};
long Square::area(int n) const { return both((long)n * n); }
long Circle::area(int n) const { return both((long)n * n); }
const Square square;
const Circle circle;

} // namespace

const Shape *volatile shapes[2] = {&square, &circle};

NOINLINE int unused(int n) {
  __asm__ volatile("" : "+r"(n));
  return n;
}
