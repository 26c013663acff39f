// RUN: rm -rf %t && mkdir -p %t && %clang -O2 -fPIC -shared %s -o %t/plain.so && llvm-nm -u %t/plain.so | sed 's/@.*//' | sort > %t/plain
// RUN: %ada_clang -O0 -g -fPIC -shared %s -o %t/l.so && llvm-nm -u %t/l.so | sed 's/@.*//' | sort | comm -13 %t/plain - | FileCheck %s --check-prefixes=CHECK,THREAD
// RUN: %ada_clang -O2 -fPIC -shared --ada-no-runtime %s -o %t/l.so && llvm-nm -u %t/l.so | sed 's/@.*//' | sort | comm -13 %t/plain - | FileCheck %s
// RUN: %ada_clang -O2 -fPIC -shared -flto %s -o %t/l.so && llvm-nm -u %t/l.so | sed 's/@.*//' | sort | comm -13 %t/plain - | FileCheck %s
// RUN: %ada_clang -O2 -fPIC -shared --ada-before-inlining --ada-calls='*' %s -o %t/l.so && llvm-nm -u %t/l.so | sed 's/@.*//' | sort | comm -13 %t/plain - | FileCheck %s
// RUN: %ada_clang -O3 -fno-pic -c %s -o %t/l.o && llvm-nm -u %t/l.o | sed 's/ *$//' | sort | comm -13 %t/plain - | FileCheck %s
// Hooks add no undefined symbol to a library whose name contains "exit" or "abort": a library that must not end the
// program is checked for such symbols, in PostgreSQL by
//     nm -A -u libpq.so | grep -v __cxa_atexit | grep exit
// (llvm-nm writes "U __ada_leave", as nm does.)
// CHECK-NOT: exit
// CHECK-NOT: abort
// CHECK:     U __ada_before_leave
// THREAD:    U __ada_before_thread_leave
// CHECK:     U __ada_leave{{(_x15)?$}}
// CHECK-NOT: exit
// CHECK-NOT: abort
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
struct Large {
  long values[9];
};
ucontext_t one, other;
jmp_buf buffer;

NOINLINE int plus(int x) { return x + 1; }
int twice(int x) { return plus(x) * 2; }
int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  const int result = count ? va_arg(list, int) : 0;
  va_end(list);
  return result;
}
struct Large large(long x) { return (struct Large){{x}}; }
long double square(long double x) { return x * x; }
int jumps(void) { return setjmp(buffer) ? plus(1) : plus(2); }
int switches(void) { return swapcontext(&one, &other); }
int executes(char **arguments) { return fork() ? 0 : execv(arguments[0], arguments); }
void (*callback)(void);
void ends(int how) {
  callback();
  if (how == 1)
    _exit(how);
  if (how == 2)
    syscall(SYS_exit_group, how);
  if (how == 3)
    abort();
  exit(how);
}
void endsThread(int status) { syscall(SYS_exit, status); }
