// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: for o in '-O0 -g' '-O2 -g --ada-before-inlining' '-O2 -g -flto=thin --ada-before-inlining'; do %ada_clangxx $o -std=c++17 %s -o p && rm -rf session && %session:sched=0 ./p && \
// RUN:   adatrace verify -q session && adatrace tree session | cut -c24- | sed 's/ .inlined.//' | FileCheck %s --strict-whitespace && \
// RUN:   adatrace tree --names=full --function='*{lambda at *:37}*' session | FileCheck %s --check-prefix=FULL && adatrace tree --names=mangled session | FileCheck %s --check-prefix=MANGLED || exit 1; done
// RUN: %ada_clangxx -O2 -g --ada-before-inlining --ada-system-headers -std=c++17 %s -o p && rm -rf session && %session:sched=0 ./p && adatrace report --format=csv session | FileCheck %s --check-prefix=FUNCTION
// Lambdas are named by file and line, the second one on a line with a number, also as template arguments.
#include <functional>
inline int inHeader(int n) {
  auto add = [](int x) { return x + 1; };
  return add(n);
}
template <class F> __attribute__((noinline)) int apply(const F &f) { return f(1); }
__attribute__((noinline)) int call(const std::function<int(int)> &f) { return f(7); }
struct Widget {
  int size;
  __attribute__((noinline)) int area() const {
    return apply([this](int n) { return n * size; });
  }
};
// CHECK:      {{^}}  main{{$}}
int main() {
  // CHECK-NEXT: {{^}}    inHeader(..){{$}}
  // CHECK-NEXT: {{^}}      inHeader(..)::{lambda at lambdas.cpp:9}(..) const{{$}}
  int sum = inHeader(1);
  // CHECK-NEXT: {{^}}    Widget::area() const{{$}}
  // CHECK-NEXT: {{^}}      apply<{lambda at lambdas.cpp:17}>(..){{$}}
  // CHECK-NEXT: {{^}}        Widget::area() const::{lambda at lambdas.cpp:17}(..) const{{$}}
  sum += Widget{3}.area();
  // CHECK-NEXT: {{^}}    main::{lambda at lambdas.cpp:31}(..) const{{$}}
  // CHECK-NEXT: {{^}}    main::{lambda at lambdas.cpp:31 #2}(..) const{{$}}
  sum += [](int n) { return n; }(1) + [](int n) { return n + 1; }(2);
  // CHECK-NEXT: {{^}}    call(..){{$}}
  // CHECK-NEXT: {{^}}      main::{lambda at lambdas.cpp:37}(..) const{{$}}
  // CHECK-NEXT: {{^}}        main::{lambda at lambdas.cpp:37}(..) const::{lambda at lambdas.cpp:38}<..>(..) const{{$}}
  // FULL: main::{lambda at lambdas.cpp:37}(int) const
  // MANGLED: _ZZ4mainENK
  sum += call([](int n) {
    auto inner = [](auto value) { return value * 2; };
    return inner(n);
  });
  // FUNCTION: std::_Function_handler<{lambda at lambdas.cpp:37}>::_M_invoke(
  return sum - 23;
}
