// RUN: %clang --target=x86_64-linux-musl %load_adatrace -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang --target=x86_64-linux-gnu %load_adatrace -O1 -c %s -o %t.o 2>&1 | count 0
// For a C library that the runtime does not work with there is a warning, one per file.
// CHECK: warning: {{.*}}the runtime needs glibc: this will not link or not start with musl
// CHECK-NOT: warning: {{.*}}glibc
int f(int x) { return x + 1; }
