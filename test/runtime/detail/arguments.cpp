// RUN: rm -rf %t && mkdir -p %t
// RUN: for o in -O0 -O2; do %ada_clangxx -std=c++20 $o -g %s -o %t/p && %session:session=%t/typed$o:detail='*' %t/p && adatrace verify -q %t/typed$o && adatrace tree --args --no-fold %t/typed$o | FileCheck %s || exit 1; done
// RUN: %ada_clangxx -std=c++20 -O2 %s -o %t/p && %session:session=%t/raw:detail='*' %t/p && adatrace tree --args --no-fold %t/raw | FileCheck %s --check-prefix=RAW
// RUN: adatrace report --args --function='fib*' --only %t/typed-O2 | FileCheck %s --check-prefix=REPORT
// `tree --args` shows what the source says: integers by width and sign, enums, bool, char, pointers, references,
// floating point, small structs, results. Without debug information it shows the registers, with their names.
#include <fcntl.h>
#include <stdint.h>
#define HERE __attribute__((noinline, weak)) // may be replaced, so nobody knows what it does with arguments
enum class Mode { Slow, Fast };
enum Colour { RED, GREEN = 5 };
enum Bits : uint8_t { A = 1, B = 2, C = 4 };
enum class Sign : int8_t { Minus = -1, Plus = 1 };
struct Point { int x, y; };
struct Pair { double a, b; };
struct Mixed { long i; double d; };
struct Flags { unsigned a : 8, b : 24; };
struct Flagged : Flags { int n; };
struct Large { long many[6]; };
struct Box { int v; HERE int get(int d) const { return v + d; } };

__attribute__((noinline, optnone)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
HERE bool scale(double v, Mode mode) { return v > 1 && mode == Mode::Fast; }
HERE char next(char c, bool up) { return up ? c + 1 : c - 1; }
HERE int widths(int8_t a, uint8_t b, int16_t c, uint16_t d, int64_t e, uint64_t f) { return a + b + c + d + (int)(e + f); }
HERE Colour paint(Colour c, Bits bits, Sign sign) { return sign == Sign::Plus ? c : RED; }
HERE const char *text(const char *s, int &r) { ++r; return s; }
HERE float floats(float a, double b) { return a + (float)b; }
HERE Point flip(Point p) { return {p.y, p.x}; }
HERE Pair swapped(Pair p, int n) { return n ? Pair{p.b, p.a} : p; }
HERE Mixed mixed(Mixed m) { return {m.i + 1, -m.d}; }
HERE int flagged(Flagged f) { return (int)f.a + f.n; }
HERE __int128 wide(__int128 w) { return w + 1; }
HERE void large(Large l, int n) { l.many[0] = n; }
HERE int variadic(int n, ...) { return n; }
namespace my {
HERE int open(const char *path, int flags) { return ::open(path, flags) >= 0; }
}

int main() {
  int r = 0;
  Box box{3};
  fib(3);
  scale(2.5, Mode::Fast);
  scale(-0.5, (Mode)7);
  next('a', true);
  next('\n', false);
  widths(-128, 255, -3, 65535, INT64_MIN, UINT64_MAX);
  paint(GREEN, (Bits)(A | C), Sign::Plus);
  paint((Colour)3, B, Sign::Minus);
  text(nullptr, r);
  floats(0.1f, 1e300);
  flip({1, -2});
  swapped({1.5, -0.25}, 7);
  mixed({41, 0.5});
  flagged({{1, 2}, 7});
  wide((((__int128)1) << 70) - 1);
  large({}, 9);
  variadic(2, 3, 4.5);
  box.get(-4);
  my::open("/dev/null", O_RDONLY | O_CLOEXEC);
}
// CHECK: {{ }}main() → 0
// CHECK: {{ }}fib(n=3) → 2
// CHECK: {{ }}fib(n=2) → 1
// CHECK: {{ }}fib(n=1) → 1
// CHECK: {{ }}fib(n=0) → 0
// CHECK: {{ }}scale(v=2.5, mode=Mode::Fast) → true
// CHECK: {{ }}scale(v=-0.5, mode=Mode(7)) → false
// CHECK: {{ }}next(c='a', up=true) → 'b'
// CHECK: {{ }}next(c='\n', up=false) → '\t'
// CHECK: {{ }}widths(a=-128, b=255, c=-3, d=65535, e=-9223372036854775808, f=18446744073709551615) →
// CHECK: {{ }}paint(c=GREEN, bits=A|C, sign=Sign::Plus) → GREEN
// CHECK: {{ }}paint(c=Colour(3), bits=B, sign=Sign::Minus) → RED
// CHECK: {{ }}text(s=nullptr, r=0x{{[0-9a-f]+}}) → nullptr
// CHECK: {{ }}floats(a=0.1, b=1e+300) → inf
// CHECK: {{ }}flip(p={x=1, y=-2}) → {x=-2, y=1}
// CHECK: {{ }}swapped(p={a=1.5, b=-0.25}, n=7) → {a=-0.25, b=1.5}
// CHECK: {{ }}mixed(m={i=41, d=0.5}) → {i=42, d=-0.5}
// CHECK: {{ }}flagged(f={Flags=0x{{0*}}201, n=7}) → 8
// CHECK: {{ }}wide(w=1180591620717411303423) → 1180591620717411303424
// CHECK: {{ }}large(l={{.*}}n=9){{$}}
// CHECK: {{ }}variadic(n=2, …) → 2
// CHECK: {{ }}Box::get(this=0x{{[0-9a-f]+}}, d=-4) → -1
// CHECK: {{ }}my::open(path=0x{{[0-9a-f]+}}, flags=O_RDONLY|O_CLOEXEC) → 1
// REPORT-DAG: {{^ +}}2 {{.*}} fib(n=1) → 1{{$}}
// REPORT-DAG: {{^ +}}1 {{.*}} fib(n=3) → 2{{$}}
// RAW: {{ }}fib({{rdi|x0}}=0x3, {{rsi|x1}}=0x
// RAW: {{ }}scale({{.*}}{{xmm0|v0}}=0x4004000000000000) → {{rax|x0}}=0x1
