// RUN: %clang_ada -O2 -c %s -o /dev/null -mllvm -ada-why 2>&1 | FileCheck %s --implicit-check-not=AdaTrace:
// RUN: %clang_ada -O2 -c %s -o /dev/null -mllvm -ada-why='in*' 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not=AdaTrace:
// RUN: %clang_ada -O2 -c %s -o /dev/null -mllvm -ada-why='in*' -mllvm -ada-before-inlining 2>&1 | FileCheck %s --check-prefix=EARLY --implicit-check-not=AdaTrace:
// RUN: env ADA_PASS_OPTIONS=-ada-why='in*' %clang -fpass-plugin=%plugin -O2 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not=AdaTrace:
// -ada-why also explains functions that the optimizer has made disappear.

// CHECK: AdaTrace: f: traced
// CHECK: AdaTrace: inlined: not traced: inlined into its callers or removed as unused; -ada-before-inlining traces inlined functions
// ONE: AdaTrace: inlined: not traced: inlined into its callers
// EARLY: AdaTrace: inlined: traced
static int inlined(int x) { return x * 3; }
int f(int x) { return inlined(x) + 1; }
