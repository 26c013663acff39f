// RUN: rm -rf %t && mkdir -p %t
// RUN: for o in -O0 -O2; do %ada_clang $o -g %s -o %t/p && %session:session=%t/s$o:detail='*':pointees=64 %t/p && adatrace tree --args %t/s$o | FileCheck %s || exit 1; done
// RUN: %ada_clang -O0 -g %s -o %t/p && %session:session=%t/plain:detail='*' %t/p && adatrace tree --args %t/plain | FileCheck %s --check-prefix=PLAIN
// A function may have any calling convention: its arguments and result are the true ones, or `?`. ms_abi passes most
// structs by address, which is never shown as their contents.
// REQUIRES: x86_64
#define HERE __attribute__((noinline, weak)) // may be replaced, so nobody knows what it does with arguments
#ifdef __clang__
#define VECTORCALL __attribute__((vectorcall))
#define REGCALL __attribute__((regcall))
#define SWIFTCALL __attribute__((swiftcall))
#else
#define VECTORCALL
#define REGCALL
#define SWIFTCALL
#endif
typedef struct { unsigned char c[3]; } Three;
typedef struct { unsigned char c[5]; } Five;
typedef struct { int a, b; } Eight;
typedef struct { const char *p; long n; } Sixteen;
typedef struct { char a, b; } Two;
typedef struct { float f; _Alignas(8) int n; } Aligned;

HERE __attribute__((ms_abi)) int small(Three a, Five b, Eight c, Two d) { return a.c[2] + b.c[4] + c.b + d.b; }
HERE __attribute__((ms_abi)) long large(Sixteen a, long n, __int128 w) { return a.n + n + (long)w; }
HERE __attribute__((ms_abi)) Three three(int n) { return (Three){{n, n + 1, n + 2}}; }
HERE __attribute__((ms_abi)) int more(int n, ...) { return n; }
HERE VECTORCALL double vectors(double a, int n, Two b) { return a + n + b.b; }
HERE REGCALL int registers(int n, Two a, long z) { return n + a.b + (int)z; }
HERE REGCALL Two two(int n) { return (Two){n, n + 1}; }
HERE SWIFTCALL int swift(int n, Two a, long z) { return n + a.b + (int)z; }
HERE long aligned(Aligned a) { return a.n; }

int main(void) {
  // PLAIN: small(a={{\?|.c=\[1, 2, 3\].}}, b={{\?|.c=\[4, 5, 6, 7, 8\].}}, c={a=9, b=10}, d={a='\x0b', b='\x0c'}) → 33
  // CHECK: small(a={c=[1, 2, 3]}, b={c=[4, 5, 6, 7, 8]}, c={a=9, b=10}, d={a='\x0b', b='\x0c'}) → 33
  int result = small((Three){{1, 2, 3}}, (Five){{4, 5, 6, 7, 8}}, (Eight){9, 10}, (Two){11, 12}) != 33;
  // CHECK: large(a={p=nullptr, n=7}, n=5, w=3) → 15
  result += large((Sixteen){0, 7}, 5, 3) != 15;
  // CHECK: three(n=4) → {c=[4, 5, 6]}
  result += three(4).c[1] != 5;
  // CHECK: more(n=4, …) → 4
  result += more(4, 2.5, "text") != 4;
  // CHECK: vectors(a=2.5, n=3, b={a='\x01', b='\x02'}) → 7.5
  result += vectors(2.5, 3, (Two){1, 2}) != 7.5;
  // CHECK: registers(n=1, a={{\?|.a='.x02', b='.x03'.}}, z={{\?|5}}) → 9
  result += registers(1, (Two){2, 3}, 5) != 9;
  // CHECK: two(n=1) → {{\?|.a='.x01', b='.x02'.}}
  result += two(1).b != 2;
  // CHECK: swift(n=1, a={{\?|.a='.x02', b='.x03'.}}, z={{\?|5}}) → 9
  result += swift(1, (Two){2, 3}, 5) != 9;
  // CHECK: aligned(a={f=1.5, n=9}) → 9
  result += aligned((Aligned){1.5f, 9}) != 9;
  return result;
}
