// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: for o in -O0 -O2 '-O2 --ada-before-inlining' '-O2 -flto'; do %ada_clangxx -std=c++17 -g -w $o %s -o p && rm -rf s && \
// RUN:   env ADA_OPTIONS=session=s:detail=*:stack_size=256 ./p && adatrace tree --args --no-fold s | FileCheck %s --check-prefixes=CHECK,%arch || exit 1; done
// Parameters that take no register, or fewer than their size suggests, do not move the arguments after them.
struct Empty {};
struct Derived : Empty {
  char c;
};
struct Again : Derived {};
struct Holds {
  Empty a, b;
};
struct alignas(16) Padded {
  long a;
};
struct Second {
  Empty e;
  long x;
};
struct Guard {
  ~Guard() {}
};
volatile long sink;
#define KEEP __attribute__((noinline))
// CHECK-DAG: inherited(b={c='a'}, x='b', y=5)
KEEP void inherited(Again b, char x, int y) { sink = b.c + x + y; }
// x86_64-DAG: holds(w={{.*}}, x=6, y=7)
// aarch64-DAG: holds(w={{.*}}, x={{6|\?}}, y={{7|\?}})
KEEP void holds(Holds w, int x, int y) { sink = x + y; }
// CHECK-DAG: padded(w={a=1}, x=2, y=3)
KEEP void padded(Padded w, long x, long y) { sink = w.a + x + y; }
// CHECK-DAG: second(w={e={}, x=11}, x=12, y=13)
KEEP void second(Second w, long x, long y) { sink = w.x + x + y; }
// CHECK-DAG: null(p={{.*}}, x=21, y=22)
KEEP void null(decltype(nullptr) p, long x, long y) { sink = x + y; }
// CHECK-DAG: guarded(g={{\?|<unused>}}, x=31, y=32)
KEEP void guarded(Guard g, long x, long y) { sink = x + y; }
struct Large {
  long a[5];
};
struct alignas(32) EmptyCopy {};
// x86_64-DAG: before(e=?, l={a=[51, 0, 0, 0, 52]}, x=53)
// aarch64-DAG: before(
KEEP void before(Empty e, Large l, int x) { sink = l.a[0] + l.a[4] + x; }
// x86_64-DAG: copied(e={{.*}}, l={a=[61, 0, 0, 0, 62]}, x=63)
// aarch64-DAG: copied(
KEEP void copied(EmptyCopy e, Large l, int x) { sink = l.a[0] + l.a[4] + x; }
struct Base {
  long v;
};
struct Virtual : virtual Base {
  Virtual(int k, long *p);
};
// CHECK-DAG: Virtual::Virtual(this=0x{{[0-9a-f]+}}, k=41, p=0x{{[0-9a-f]+}})
__attribute__((noinline, optnone)) Virtual::Virtual(int k, long *p) { sink = k + *p; }
struct Outer : Virtual {
  Outer(int k, long *p) : Virtual(k, p) {}
};
int main(int n, char **) {
  inherited({{{}, char(n * 'a')}}, n * 'b', n * 5);
  holds({}, n * 6, n * 7);
  padded({n * 1}, n * 2, n * 3);
  second({{}, n * 11}, n * 12, n * 13);
  null(nullptr, n * 21, n * 22);
  guarded({}, n * 31, n * 32);
  before({}, {{n * 51, 0, 0, 0, n * 52}}, n * 53);
  copied({}, {{n * 61, 0, 0, 0, n * 62}}, n * 63);
  long value = n;
  Outer outer(n * 41, &value);
}
