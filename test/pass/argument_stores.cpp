// RUN: %clangxx %load_adatrace -O0 -fno-discard-value-names -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx %load_adatrace -O0 -g -fno-discard-value-names -S -emit-llvm %s -o - | FileCheck %s
// Without optimisation the hook comes directly after the stores of the arguments, so that a debugger that stops at the
// function's first line can read them; with and without -g alike.
struct Pair {
  long a, b;
};

// CHECK-LABEL: define {{.*}}@main(
// CHECK: store i32 0, {{.*}}%retval
// CHECK: store i32 %argc, {{.*}}%argc.addr
// CHECK: store {{.*}} %argv, {{.*}}%argv.addr
// CHECK: load volatile i8
// CHECK: store i32 7, {{.*}}%local
int main(int argc, char **argv) {
  int local = 7;
  return local + argc + (argv != nullptr);
}

// CHECK-LABEL: define {{.*}}@_Z7coerced
// CHECK: store i64 %p.coerce0
// CHECK: store i64 %p.coerce1
// CHECK: store i32 %n, {{.*}}%n.addr
// CHECK: load volatile i8
// CHECK: store i64 5,
long coerced(Pair p, int n) {
  long local = 5;
  return p.a + p.b + n + local;
}

// CHECK-LABEL: define {{.*}}@_Z4none
// CHECK: load volatile i8
// CHECK: store i32 5, {{.*}}%local
int none() {
  int local = 5;
  return local;
}
