// RUN: %clang_ada -x c++ -O0 -g -ffunction-sections -fno-integrated-as -c %s -o %t.o
// RUN: llvm-readelf -g %t.o | FileCheck %s
// GNU as accepts the output for functions of each kind; the entry of a comdat's function is in its group.
// CHECK: COMDAT group section{{.*}}[_Z10fromHeaderIiET_S0_]
// CHECK-DAG: ada_enabled
// CHECK-DAG: ada_functions
template <class T> T fromHeader(T x) { return x + 1; }
inline int alsoThere(int x) { return x + 2; }
static int own(int x) { return x + 3; }
int all(int x) { return fromHeader(x) + alsoThere(x) + own(x); }
