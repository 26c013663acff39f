// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clang -O1 %s -o %t/p
// RUN: env ADA_OPTIONS=session=s %t/p && adatrace verify -q s && %calls total s | FileCheck %s
// RUN: %calls tree s | FileCheck %s --check-prefix=TREE
// REQUIRES: native
// (an emulator does not forward the request to the kernel to wipe a page) Processes that are copied without libc's
// fork(), by _Fork() or a system call: each has a separate directory, and its parent's ring is not touched.
// CHECK: processes=3 threads=3 events=60010
// TREE: process 0:
// TREE: {{^}}main
// TREE: process 1:
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern pid_t _Fork(void) __attribute__((weak));
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
__attribute__((noinline)) int child(int n) {
  for (int i = 0; i < n; ++i)
    work();
  return 0;
}
int main(void) {
  child(10000 - 1);
  pid_t pid = _Fork ? _Fork() : fork();
  if (pid == 0)
    _exit(child(10000));
  child(0);
  waitpid(pid, 0, 0);
  pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0)
    _exit(child(10000));
  waitpid(pid, 0, 0);
  return child(0);
}
