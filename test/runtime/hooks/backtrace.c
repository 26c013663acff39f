// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -fno-plt -rdynamic -ldl -o %t/p
// RUN: %session:buffer=256K %t/p %few{60,200} | FileCheck %s && %calls total --open=0 %t/session
// RUN: %session:buffer=256K:session=%t/detail:detail=leaf:stack_size=0 %t/p 10 | FileCheck %s && adatrace verify -q %t/detail && rm -r %t/detail
// From any instruction of the hooks, including those that capture registers, from the slow path, and in the middle of a wait for the
// drain, a debugger or profiler can unwind to main: a timer's handler walks the stack with the unwinder, wherever it interrupts.
// (-fno-plt: linkers give calls of libc no unwind table on AArch64.)
// CHECK: enough samples in the hooks, enough elsewhere in the runtime, all reached main
#define _GNU_SOURCE
#include <ada/attributes.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

static volatile int inHook, inRuntime, elsewhere, lost;
static char runtimePath[4096];

ADA_NEVER static void handler(int s, siginfo_t *info, void *context) {
  (void)s, (void)info;
#ifdef __x86_64__
  void *where = (void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#else
  void *where = (void *)((ucontext_t *)context)->uc_mcontext.pc;
#endif
  void *frames[64];
  int n = backtrace(frames, 64), reached = 0;
  Dl_info i;
  for (int k = 0; k < n; ++k)
    reached |= dladdr(frames[k], &i) && i.dli_sname && !strcmp(i.dli_sname, "main");
  if (!dladdr(where, &i) || !i.dli_fname || strcmp(i.dli_fname, runtimePath))
    ++elsewhere;
  else if (i.dli_sname && !strncmp(i.dli_sname, "__ada_", 6))
    ++inHook;
  else
    ++inRuntime;
  lost += !reached;
}
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void middle(void) {
  for (int i = 0; i < 10000; ++i)
    leaf();
}
ADA_NEVER int main(int argc, char **argv) {
  (void)argc;
  int hooks = atoi(argv[1]); // few with registers, because they spend most of their time after the hooks
  void *frames[4];
  backtrace(frames, 4); // loads the unwinder, which is not safe in a handler
  Dl_info i;
  void *hook = dlsym(RTLD_DEFAULT, "__ada_enter");
  dladdr(hook, &i);
  strncpy(runtimePath, i.dli_fname, sizeof runtimePath - 1);
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 211}, {0, 211}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &every, NULL);
  time_t end = time(NULL) + 60;
  while ((inHook < hooks || inRuntime < 20) && time(NULL) < end)
    middle();
  setitimer(ITIMER_REAL, &never, NULL);
  if (inHook < hooks || inRuntime < 20 || lost)
    printf("%d samples in the hooks, %d in the runtime, %d elsewhere; %d did not reach main\n", inHook, inRuntime,
           elsewhere, lost);
  else
    puts("enough samples in the hooks, enough elsewhere in the runtime, all reached main");
  return 0;
}
