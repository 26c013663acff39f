// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -shared -fPIC -DLIBRARY -Wno-prio-ctor-dtor %s -o %t/library.so
// RUN: for how in "" -no-pie --ada-static-runtime -static -static-pie -fuse-ld=lld "-flto -O2"; do \
// RUN:   %like_plain %t %ada_clang -O1 -Wno-prio-ctor-dtor $how %s && %calls count --only=early --open=0 %t/session >> %t/counts && \
// RUN:   %calls manifest %t/session process.exit.code >> %t/counts || exit 1; \
// RUN: done
// RUN: FileCheck %s --input-file=%t/counts
// RUN: %like_plain %t %ada_clang -O1 -DNOTHING %s %t/library.so && %calls count --only=early --open=0 %t/session | FileCheck %s --check-prefix=LIBRARY
// Events before main and after it, in the first function of .preinit_array and in the last destructor, are recorded
// with every way of linking; the exit status is known too. A library can't have a .preinit_array.
// CHECK-COUNT-7: early calls=10 returns=10 exceptions=0{{[[:space:]]+}}process.exit.code=3
// CHECK-NOT: {{.}}
// LIBRARY: early calls=5 returns=5 exceptions=0
#ifdef NOTHING
int main(void) { return 0; }
#else
static volatile int n;
__attribute__((noinline)) void early(int i) { n += i; }
__attribute__((constructor(0))) static void constructor0(void) { early(1); }
__attribute__((constructor(1))) static void constructor1(void) { early(1); }
__attribute__((constructor(101))) static void constructor101(void) { early(1); }
__attribute__((destructor(0))) static void destructor0(void) { early(1); }
__attribute__((destructor(101))) static void destructor101(void) { early(1); }
#ifndef LIBRARY
static void first(void) {
  for (int i = 0; i < 5; ++i)
    early(1);
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(void) = first;
int main(void) { return n == 8 ? 3 : 1; }
#endif
#endif
