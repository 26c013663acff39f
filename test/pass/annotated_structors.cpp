// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: for o in -O0 -O1 -O2 -O3; do for early in "" "-mllvm -ada-before-inlining"; do %clangxx_ada -std=c++17 -Wall -Wextra -Werror $o $early -S -emit-llvm %s -o - | FileCheck %s || exit 1; done; done
// ADA_NEVER and ADA_ALWAYS hold for every function that is made of a declaration: constructors and destructors of local
// classes and templates, deleting destructors, thunks, defaulted ones, lambdas and what converts them to pointers, and
// functions whose arguments the optimizer changes.
//
// CHECK-NOT: @__ada_fn.{{[A-Za-z0-9_$."]*}}{{[nN]ever|__invoke}}
// CHECK: @__ada_fn._Z3runi =
// CHECK-NOT: @__ada_fn.{{[A-Za-z0-9_$."]*}}{{[nN]ever|__invoke}}
#include "ada/attributes.h"

#define APART __attribute__((noinline))

APART void sink(int x) { asm volatile("" : : "r"(x) : "memory"); }

struct Member {
  ~Member();
};
APART Member::~Member() { sink(0); }

struct NeverBase {
  int x;
  ADA_NEVER APART NeverBase(int x) : x(x) { sink(x); }
  ADA_NEVER virtual ~NeverBase();
  ADA_NEVER virtual void method(int y);
};
NeverBase::~NeverBase() { sink(x); }
void NeverBase::method(int y) { sink(x + y); }

struct Other {
  virtual ~Other() = default;
  virtual void method(int) = 0;
};
struct NeverBoth : NeverBase, Other { // with thunks
  ADA_NEVER NeverBoth(int x) : NeverBase(x) {}
  ADA_NEVER ~NeverBoth() override;
  ADA_NEVER void method(int y) override;
};
NeverBoth::~NeverBoth() { sink(x + 1); }
void NeverBoth::method(int y) { sink(y); }

struct NeverDefaulted {
  ADA_NEVER APART NeverDefaulted() = default;
  ADA_NEVER APART ~NeverDefaulted() = default;
  Member member;
};

template <class T> struct NeverTemplate {
  T x;
  ADA_NEVER APART explicit NeverTemplate(T x) : x(x) { sink(static_cast<int>(x)); }
  template <class U> ADA_NEVER APART explicit NeverTemplate(U *x) : x(*x) { sink(2); }
  ADA_NEVER APART ~NeverTemplate() { sink(static_cast<int>(x)); }
};

ADA_NEVER APART static int never_promoted(const int *x) { return *x * 3; } // by value at -O3

void run(int a) {
  struct NeverLocal {
    int x;
    ADA_NEVER APART NeverLocal(int x) : x(x) { sink(x); }
    ADA_NEVER APART ~NeverLocal() { sink(x); }
    ADA_NEVER APART int operator()(int y) { return x + y; }
  };
  NeverLocal local(a);
  sink(local(2));
  NeverTemplate<long> whole(a), other(&a);
  NeverDefaulted defaulted;
  const auto never = [](int x) ADA_NEVER APART { sink(x); };
  never(a);
  void (*volatile pointer)(int) = never;
  pointer(a);
  sink(never_promoted(&a));
  Other *both = new NeverBoth(a);
  both->method(a);
  delete both;
}
