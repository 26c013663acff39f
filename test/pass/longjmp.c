// RUN: %same_behaviour %s
// RUN: FileCheck %s < %t-O0.events
// RUN: FileCheck %s < %t-O2.events
// Calls that longjmp leaves are closed where it lands, also for repeated landings, sigsetjmp and vfork.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf buffer;
static sigjmp_buf signalBuffer;

__attribute__((noinline)) void jump(int n) {
  if (n)
    jump(n - 1);
  else
    longjmp(buffer, 3);
  puts("not reached");
}
__attribute__((noinline)) int lands(void) {
  volatile int tries = 0;
  int got = setjmp(buffer);
  if (++tries < 4)
    jump(2);
  return tries + got;
}
__attribute__((noinline)) void jumpFromSignal(void) { siglongjmp(signalBuffer, 1); }
__attribute__((noinline)) int landsFromSignal(void) {
  if (!sigsetjmp(signalBuffer, 1))
    jumpFromSignal();
  return 5;
}
__attribute__((noinline)) int forks(void) {
  int status = 0;
  pid_t pid = vfork();
  if (!pid)
    _exit(9);
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}

// CHECK: 1 1 call lands
// CHECK-COUNT-3: 1 2 call jump
// CHECK: 1 4 call jump
// CHECK-NEXT: 1 4 exception jump
// CHECK-NEXT: 1 3 exception jump
// CHECK-NEXT: 1 2 exception jump
// CHECK-NEXT: 1 1 return lands
// CHECK: 1 2 exception jumpFromSignal
// CHECK-NEXT: 1 1 return landsFromSignal
// CHECK-NEXT: 1 1 call forks
// CHECK-NEXT: 1 2 before exit 9
// CHECK-NEXT: 1 1 return forks
// CHECK-NEXT: 1 0 return main
int main(void) {
  printf("%d\n", lands());
  printf("%d\n", landsFromSignal());
  printf("%d\n", forks());
  return 0;
}
