// RUN: rm -rf %t && mkdir -p %t && %ada_gxx -O2 %s -o %t/p && %session %t/p > %t/out && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: adatrace verify -q %t/session
// RUN: %ada_gxx -O2 -fnon-call-exceptions -fno-guess-branch-probability -c %s -o %t/o
// REQUIRES: gcc-plugin, native, x86_64
// GCC: calls end by return, by an exception that passes through, is handled or thrown again, and by longjmp.
#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <string>
#define NOINLINE __attribute__((noinline))
struct Guard {
  int *count;
  NOINLINE ~Guard() { ++*count; }
};
static int count;
static jmp_buf place;
NOINLINE void thrower(int kind) {
  if (kind == 0)
    throw std::runtime_error("text");
  if (kind == 1)
    throw 5;
  if (kind == 2)
    longjmp(place, 1);
}
NOINLINE void plain(int kind) {
  thrower(kind);
  ++count;
}
NOINLINE void cleanup(int kind) {
  Guard guard{&count};
  plain(kind);
}
NOINLINE void selective(int kind) {
  try {
    plain(kind);
  } catch (int) {
    ++count;
  }
}
NOINLINE void again(int kind) {
  try {
    selective(kind);
  } catch (const std::exception &) {
    throw;
  }
}
NOINLINE void never(int kind) noexcept {
  try {
    again(kind);
  } catch (...) {
    ++count;
  }
}
NOINLINE double lands(double value) {
  if (setjmp(place) == 0)
    plain(2);
  return value * 2;
}
NOINLINE std::string text(int n) { return std::string(n, 'x'); }
int main() {
  never(0);
  never(1);
  never(3);
  try {
    cleanup(0);
  } catch (const std::runtime_error &) {
    ++count;
  }
  return lands(1.5) == 3.0 && text(3).size() == 3 && count == 5 ? 0 : 1;
}
// CHECK:      {{^}}main
// CHECK-NEXT: {{^}}  never(int)
// CHECK-NEXT: {{^}}    again(int) (exception)
// CHECK-NEXT: {{^}}      selective(int) (exception)
// CHECK-NEXT: {{^}}        plain(int) (exception)
// CHECK-NEXT: {{^}}          thrower(int) (exception)
// CHECK-NEXT: {{^}}  never(int)
// CHECK-NEXT: {{^}}    again(int)
// CHECK-NEXT: {{^}}      selective(int)
// CHECK-NEXT: {{^}}        plain(int) (exception)
// CHECK-NEXT: {{^}}          thrower(int) (exception)
// CHECK-NEXT: {{^}}  never(int)
// CHECK-NEXT: {{^}}    again(int)
// CHECK-NEXT: {{^}}      selective(int)
// CHECK-NEXT: {{^}}        plain(int)
// CHECK-NEXT: {{^}}          thrower(int)
// CHECK-NEXT: {{^}}  cleanup(int) (exception)
// CHECK-NEXT: {{^}}    plain(int) (exception)
// CHECK-NEXT: {{^}}      thrower(int) (exception)
// CHECK-NEXT: {{^}}    Guard::~Guard()
// CHECK-NEXT: {{^}}  lands(double)
// CHECK-NEXT: {{^}}    plain(int) (exception)
// CHECK-NEXT: {{^}}      thrower(int) (exception)
// CHECK-NEXT: {{^}}  text
