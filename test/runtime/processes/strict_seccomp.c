// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/run
// RUN: %session:clock=none timeout 60 %t/run && %calls count --only=tick %t/session | FileCheck %s && %session:enabled=0 timeout 60 %t/run
// REQUIRES: native
// Native: an emulator makes system calls of its own.
// In seccomp's strict mode the system forbids the CPU's counter, and all calls except read, write and exit. A thread with room in its chunk needs neither with clock=none.
// CHECK: tick calls=1001 returns=1001 exceptions=0
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) static void tick(void) { __asm__ volatile("" ::: "memory"); }
int main(void) {
  tick();
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  for (int i = 0; i < 1000; ++i)
    tick();
  syscall(SYS_exit, 0);
}
