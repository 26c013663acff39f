// RUN: env LEVELS="0 1 2 3" %same_behaviour %s
// RUN: FileCheck %s < %t-O0.events
// Arguments and results of every shape arrive unchanged, although the hooks clobber every vector register.
#include <cstdarg>
#include <cstdio>
#define NOINLINE __attribute__((noinline))

struct Big {
  long a[9];
};
struct Mixed {
  long i;
  double d;
};
struct Empty {};
typedef float Floats4 __attribute__((vector_size(16)));
typedef float Floats8 __attribute__((vector_size(32)));
typedef int Ints2 __attribute__((vector_size(8)));

NOINLINE int many(int a, char b, short c, bool d, unsigned char e, long f, int g, signed char h) {
  return a + b + c + d + e + f + g + h;
}
NOINLINE double doubles(double a, double b, float c, double d, double e, double f, double g, double h, double i, int j) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + j;
}
NOINLINE double variadic(int n, ...) {
  va_list list;
  va_start(list, n);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return sum;
}
NOINLINE Big big(Big b, int k, long double q) {
  b.a[3] += k + (long)q;
  return b;
}
NOINLINE Mixed mixed(Mixed m, Empty, Mixed n) { return {m.i + n.i, m.d * n.d}; }
NOINLINE long double longDouble(long double x, double y, int z) { return x * y + z; }
NOINLINE Floats4 vector4(Floats4 a, Floats4 b, float c) { return a * b + c; }
NOINLINE Floats8 vector8(Floats8 a, Floats8 b, float c) { return a * b + c; }
NOINLINE Ints2 vector2(Ints2 a, int b) { return a + b; }
NOINLINE _Complex double complexDouble(_Complex double a, _Complex float b) { return a * b; }
NOINLINE _Complex float complexFloat(_Complex float a) { return a * a; }
NOINLINE _Complex long double complexLong(_Complex long double a) { return a * a; }
NOINLINE __int128 wide(__int128 a, long b, __int128 c, long d, __int128 e) { return a * b + c * d + e; }
NOINLINE bool boolean(bool b) { return !b; }
NOINLINE unsigned char narrow(unsigned char c) { return c + 250; }

struct Base {
  virtual int f(int, ...) = 0;
  virtual ~Base() {}
};
struct Derived : Base {
  int f(int x, ...) override { return x + 7; }
};
struct Other {
  virtual void g() {}
};
struct Thunked : Other, Derived {
  int f(int x, ...) override { return x + 70; }
};
NOINLINE int indirect(int (*f)(int, char, short, bool, unsigned char, long, int, signed char)) {
  return f(1, 2, 3, true, 5, 6, 7, 8);
}

// CHECK: 1 0 call main
// CHECK: 1 1 call _Z4manyicsbhlia
// CHECK-NEXT: 1 1 return _Z4manyicsbhlia
int main() {
  printf("%d\n", many(1, 'b', -3, true, 250, 1L << 33, -7, -8));
  printf("%f\n", doubles(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  printf("%f\n", variadic(8, 1, 2.5, 3, 4.5, 5, 6.5, 7, 8.5));
  Big b{};
  b.a[3] = 4;
  b.a[8] = 9;
  printf("%ld %ld\n", big(b, 3, 2.0L).a[3], big(b, 3, 2.0L).a[8]);
  Mixed m = mixed({1, 2.5}, {}, {3, 4.5});
  printf("%ld %f\n", m.i, m.d);
  printf("%Lf\n", longDouble(1.5L, 2.5, 3));
  Floats4 four = vector4(Floats4{1, 2, 3, 4}, Floats4{5, 6, 7, 8}, 0.5f);
  for (int i = 0; i < 4; i++)
    printf("%f ", four[i]);
  Floats8 x = {1, 2, 3, 4, 5, 6, 7, 8}, eight = vector8(x, x, 0.5f);
  for (int i = 0; i < 8; i++)
    printf("%f ", eight[i]);
  Ints2 two = vector2(Ints2{1, 2}, 3);
  printf("%d %d\n", two[0], two[1]);
  _Complex double c = complexDouble(1.0 + 2.0i, 3.0f + 4.0if);
  _Complex float d = complexFloat(1.0f + 2.0if);
  _Complex long double e = complexLong(1.0L + 2.0iL);
  printf("%f %f %f %f %Lf %Lf\n", __real c, __imag c, __real d, __imag d, __real e, __imag e);
  __int128 w = wide((__int128)1 << 70, 3, -5, 7, 9);
  printf("%lx %lx\n", (long)(w >> 64), (long)w);
  printf("%d %d\n", boolean(true), narrow(10));
  Base *p = new Derived, *q = new Thunked;
  printf("%d %d %d\n", p->f(3), q->f(3), indirect(many));
  delete p;
  delete q;
}
