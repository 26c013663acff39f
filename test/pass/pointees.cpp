// RUN: %clang_ada -x c++ -std=c++17 -O1 -g -S -emit-llvm %s -o - -mllvm -ada-pointees | FileCheck %s
// RUN: %clang_ada -x c++ -std=c++17 -O1 -g -S -emit-llvm %s -o - | FileCheck %s --check-prefix=WITHOUT
// The types of pointers and references are followed by what they point to: its number of bytes and its layout.
// WITHOUT-NOT: {{[pr]\([^)]*\)[*#]}}
// WITHOUT: r(Named)
// WITHOUT-NOT: {{[pr]\([^)]*\)[*#]}}
#define NOINLINE __attribute__((noinline))
namespace std {
template <class T> struct allocator {};
template <class T, class A = allocator<T>> struct vector {
  T *begin, *end, *endOfStorage;
};
} // namespace std
namespace other {
template <class T> struct vector {
  T *begin, *end, *endOfStorage;
};
} // namespace other
enum Color { RED, GREEN };
struct Pair {
  short a, b;
};
struct Large {
  long many[8];
};
struct Base {
  int first;
};
struct Named : Base {
  Pair pair;
  unsigned bit : 1;
  char name[6];
  long grid[2][2];
  Large large;
  Color color;
  Named *next;
  union {
    int i;
    float f;
  };
  static int one;
  double far[40];
  int beyond;
};
struct Hidden;
struct Empty {};

// CHECK-DAG: c"-:v;n:i0:r(Named)*128{Named|first@0:s32,pair@4:{Pair|a@0:s16,b@2:s16},name@9:a6(c),color@112:e32u(Color|RED=0,GREEN=1),next@120:p(Named)}\00"
NOINLINE void named(Named &n) { n.first += 1; }
// Callers that know that none of it is read need not have stored it.
// CHECK-DAG: c"-:v;n:i0:r(Pair)-\00"
NOINLINE void written(Pair &n) { n.a = 1; }
// CHECK-DAG: c"i0:s32;values:i0:p(const int)*4s32;words:i1:p(char *)*8p(char);bytes:i2:p(unsigned char)*1u8;text:i3:p(const char)\00"
NOINLINE int rows(const int *values, char **words, unsigned char *bytes, const char *text) {
  return values[0] + words[0][0] + bytes[0] + text[0];
}
// CHECK-DAG: c"i0:s32;v:i0:r(std\\:\\:vector<int\\, std\\:\\:allocator<int> >)#4s32;w:i1:p(other\\:\\:vector<int>)*24{vector<int>|begin@0:p(int),end@8:p(int),endOfStorage@16:p(int)}\00"
NOINLINE int vectors(std::vector<int> &v, other::vector<int> *w) { return *v.begin + *w->begin; }
// CHECK-DAG: c"i0:p(Pair)*4{Pair|a@0:s16,b@2:s16};c:i0:p(Color)*4e32u(Color|RED=0,GREEN=1);d:i1:r(double)*8f64\00"
NOINLINE Pair *scalars(Color *c, double &d) {
  static Pair pair;
  pair.a = short(*c + d);
  return &pair;
}
// Types without a layout, or with one that can't be shown; "-" if it is known not to be read.
// CHECK-DAG: c"i0:b;h:i0:p(Hidden)-;e:i1:p(Empty)-;v:i2:p(void)-;f:i3:p(function)-;b:i4:r(std\\:\\:vector<bool\\, std\\:\\:allocator<bool> >)\00"
NOINLINE bool none(Hidden *h, Empty *e, void *v, void (*f)(), std::vector<bool> &b) {
  return h && e && v && f && b.begin;
}
int all(Named *n, int *v, char **w, std::vector<int> *i, std::vector<bool> *b) {
  double d = 0;
  Color c = GREEN;
  named(*n);
  written(n->pair);
  return rows(v, w, (unsigned char *)v, *w) + vectors(*i, (other::vector<int> *)i) + scalars(&c, d)->a +
         none((Hidden *)n, (Empty *)n, n, nullptr, *b);
}
