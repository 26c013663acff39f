// RUN: %clang_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-calls=default,sscanf,my_library -fno-builtin | FileCheck %s --check-prefixes=CHECK,PLAIN --implicit-check-not='{{"open64.00"|point.x@}}'
// RUN: %clang_ada -O1 -g -S -emit-llvm %s -o - -mllvm -ada-calls=default,sscanf,my_library -fno-builtin | FileCheck %s --check-prefixes=CHECK,DEBUG --implicit-check-not='"open64\00"'
// RUN: %clang_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-calls=default,sscanf,my_library -fno-builtin -mllvm -ada-why 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// Prototypes come from debug information, or else from the plugin's table, which is used only if it fits. Names are the source's.
#include <stddef.h>
typedef long ssize_t;
struct point { int x, y; };
extern int open(const char *, int, ...) __asm__("open64");
extern int sscanf(const char *, const char *, ...) __asm__("__isoc99_sscanf");
extern ssize_t __read_chk(int, void *, size_t, size_t);
extern void *malloc(size_t);
extern double my_library(struct point);
extern long write(const char *); // not libc's
extern int printf(const char *, ...);

// CHECK-DAG: c"open\00"
// CHECK-DAG: c"sscanf\00"
// CHECK-DAG: c"read\00"
// CHECK-DAG: c"i0:s32;path:i0:p(const char);flags:i1:s32\00"
// CHECK-DAG: c"i0:s32;path:i0:p(const char);flags:i1:s32;:i2:s32\00"
// CHECK-DAG: c"i0:s32;s:i0:p(const char);format:i1:p(const char);:i2:p(void);:i3:p(void)\00"
// CHECK-DAG: c"i0:s64;fd:i0:s32;buf:i1:p(void);count:i2:u64;bufsize:i3:u64\00"
// CHECK-DAG: c"i0:p(void);size:i0:u64\00"
// CHECK-DAG: c"i0:s32;format:i0:p(const char);:v0:f64;:i1:s64;...:-:v\00"
// PLAIN-DAG: c"ssize_t (int, void *, size_t, size_t)\00"
// PLAIN-DAG: c"int (const char *, int, ...)\00"
// DEBUG-DAG: c"v0:f64;:i0:{point|x@0:s32,y@4:s32}\00"
// DEBUG-DAG: c"i0:s64;:i0:p(const char)\00"
// DEBUG-DAG: c"double (point)\00"
// CHECK-LABEL: define {{.*}} @main

// WHY-DAG: AdaTrace: open: traced where it is called: 2 calls
// WHY-DAG: AdaTrace: sscanf: traced where it is called: 1 call
// WHY-DAG: AdaTrace: read: traced where it is called: 1 call
// WHY-DAG: AdaTrace: my_library: traced where it is called: 1 call
int main(void) {
  char text[8];
  int a, b, fd = open("x", 0);
  fd += open("y", 64, 0644);
  sscanf("1 2", "%d %d", &a, &b);
  fd += __read_chk(fd, text, 8, 8);
  fd += malloc(3) != NULL;
  fd += my_library((struct point){1, 2}) > 0;
  fd += write("odd");
  return fd + printf("%f %ld %Lf", 1.5, 3L, 2.5L);
}
