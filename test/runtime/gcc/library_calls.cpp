// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_gxx --ada-off -DLIBRARY -O2 -c %s -o library.o
// RUN: for o in -O0 -O2 "-O2 -fchecking" "-O2 -fPIC -fno-plt" "-O2 -flto" "-O2 -m64 -march=x86-64-v2"; do %ada_gxx $o --ada-calls='lib_*|std::*|Class::*' -c %s -o main.o && %ada_gxx $o --ada-calls='lib_*|std::*|Class::*' main.o library.o -o p && rm -rf s && env ADA_OPTIONS=session=s:detail=*:stack_size=256 ./p && adatrace verify -q s && adatrace tree --args --no-fold s | FileCheck %s || exit 1; done
// RUN: %ada_gxx -O2 --ada-calls=default,nothing_* '--ada-calls=lib_*' --ada-exclude=lib_many --ada-why -c %s -o main.o 2>&1 | FileCheck %s --check-prefix=WHY
// REQUIRES: gcc-plugin, native, x86_64
// GCC: calls of library functions with every kind of argument and result work, and are recorded with their values.
#include <cstdarg>
#include <stdexcept>
#define NOINLINE __attribute__((noinline))
struct Large {
  long a[5];
};
struct Class {
  long n;
  Class(long value);
  Class(const Class &other);
  ~Class();
};
typedef float V4F __attribute__((vector_size(16)));
extern "C" {
long lib_many(int a, int b, int c, int d, int e, int f, short g, double h, Large i, long j);
Large lib_large(long n);
long lib_variadic(int count, ...);
V4F lib_vector(V4F v, float f);
long double lib_x87(long double x);
void lib_throws(int n);
_Complex double lib_complex(_Complex double c);
int lib_pure(const char *text) noexcept __attribute__((pure));
}
Class lib_class(Class c, long n);
#ifdef LIBRARY
Class::Class(long value) : n(value) {}
Class::Class(const Class &other) : n(other.n) {}
Class::~Class() {}
long lib_many(int a, int b, int c, int d, int e, int f, short g, double h, Large i, long j) {
  return a + b + c + d + e + f + g + long(h) + i.a[0] + i.a[4] + j;
}
Large lib_large(long n) { return {{n, 0, 0, 0, n + 1}}; }
long lib_variadic(int count, ...) {
  va_list list;
  va_start(list, count);
  long sum = 0;
  for (int i = 0; i < count; ++i)
    sum += va_arg(list, long) + long(va_arg(list, double));
  va_end(list);
  return sum;
}
V4F lib_vector(V4F v, float f) { return v * f; }
long double lib_x87(long double x) { return x * 2; }
void lib_throws(int n) {
  if (n)
    throw std::runtime_error("library");
}
_Complex double lib_complex(_Complex double c) { return c * 2; }
int lib_pure(const char *text) noexcept { return text[0]; }
Class lib_class(Class c, long n) { return Class(c.n + n); }
#else
// CHECK: main(
// CHECK-NEXT: lib_many(1, 2, 3, 4, 5, 6, 7, 8.5, {a=[9, 0, 0, 0, 10]}, 11) → 66
// CHECK-NEXT: lib_large(3) → {a=[3, 0, 0, 0, 4]}
// CHECK-NEXT: lib_variadic(5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5) → 30
// CHECK-NEXT: lib_vector([1, 2, 3, 4], 2) → [2, 4, 6, 8]
// CHECK-NEXT: lib_x87(1.5) → 3
// CHECK-NEXT: catches()
// CHECK-NEXT: lib_throws(1) [left by exception]
// CHECK-NEXT: Class::Class
// CHECK-NEXT: lib_class(?, 2) → {n=7}
// CHECK-NEXT: Class::~Class
// CHECK-NEXT: Class::~Class
// CHECK-NEXT: lib_complex
// CHECK-NEXT: lib_pure(0x{{[0-9a-f]+}}) → 97
// CHECK-NOT: {{lib_|std::}}
// WHY-DAG: library_calls.cpp: no function that is only declared here matches -ada-calls='nothing_*'
// WHY-DAG: AdaTrace: lib_many: not traced: -ada-exclude matches it
// WHY-DAG: AdaTrace: lib_large: traced where it is called: 1 call
// WHY-DAG: AdaTrace: Class::Class(long): not traced: only declared in this translation unit; -ada-calls traces calls of such functions
// WHY-DAG: AdaTrace: main: traced
NOINLINE bool catches() {
  try {
    lib_throws(1);
  } catch (const std::runtime_error &) {
    return true;
  }
  return false;
}
int main(int argc, char **) {
  long wrong = lib_many(argc, 2, 3, 4, 5, 6, 7, 8.5, {{9, 0, 0, 0, 10}}, 11) != 66;
  wrong += lib_large(3).a[4] != 4;
  wrong += lib_variadic(5, 1L, 1.5, 2L, 2.5, 3L, 3.5, 4L, 4.5, 5L, 5.5) != 30;
  V4F vector = lib_vector(V4F{1, 2, 3, 4}, 2);
  wrong += vector[3] != 8;
  wrong += lib_x87(1.5L) != 3;
  wrong += !catches();
  wrong += lib_class(Class(5), 2).n != 7;
  _Complex double complex = {1, 2};
  complex = lib_complex(complex);
  wrong += __imag__ complex != 4;
  wrong += lib_pure("abc") != 'a';
  return int(wrong);
}
#endif
