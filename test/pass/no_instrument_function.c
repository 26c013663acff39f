// RUN: %clang_ada -O1 -finstrument-functions-after-inlining -mllvm -ada-consume-cyg-marks -mllvm -ada-why -S %s -o %t.s 2> %t.why
// RUN: FileCheck %s < %t.why
// RUN: not grep __cyg_profile %t.s
// RUN: %clang_ada -O1 -finstrument-functions-after-inlining -mllvm -ada-why -S %s -o - 2>&1 | FileCheck %s --check-prefixes=CHECK,KEPT
// clang shows no_instrument_function in IR only with -finstrument-functions-after-inlining. With it, the attribute counts;
// -ada-consume-cyg-marks makes that the flag's only effect.

// CHECK: AdaTrace: not_me: not traced: declared no_instrument_function
// CHECK: AdaTrace: me: traced
// KEPT: __cyg_profile_func_enter
__attribute__((no_instrument_function)) int not_me(int x) { return x; }
int me(int x) { return x; }
