// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clang -O1 -shared -fPIC -DLIBRARY %s -o lib.so && %ada_clang -O1 --ada-off %s -ldl -o p
// RUN: for o in crash=1 flight=1M trigger=signal:detail_mode=window; do env ADA_OPTIONS=session=s:$o ./p || exit 1; done
// A program has a handler for its stack overflows before a traced library is loaded. With options that make the runtime
// watch fatal signals, that handler runs as before: on its stack, with no more signals blocked, and it may leave by a
// jump, as often as there are overflows.
#ifdef LIBRARY
int inLibrary(int n) {
  char room[1024];
  __asm__ volatile("" : : "r"(room) : "memory");
  return inLibrary(n + 1) + room[n % 1024];
}
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
static jmp_buf back;
static char stack[1 << 16];
static int isElsewhere, isBlocked;

static void onFault(int signal) {
  char here;
  sigset_t now;
  sigprocmask(SIG_BLOCK, NULL, &now);
  isBlocked |= sigismember(&now, signal) || !sigismember(&now, SIGUSR1);
  isElsewhere |= &here < stack || &here >= stack + sizeof stack;
  longjmp(back, 1); // which leaves the mask as it is
}
int main(void) {
  const struct rlimit limit = {1 << 18, 1 << 18};
  setrlimit(RLIMIT_STACK, &limit);
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_handler = onFault, .sa_flags = SA_ONSTACK | SA_NODEFER};
  sigaddset(&action.sa_mask, SIGUSR1);
  sigaction(SIGSEGV, &action, NULL);
  void *library = dlopen("./lib.so", RTLD_NOW);
  int (*volatile inLibrary)(int) = library ? (int (*)(int))dlsym(library, "inLibrary") : NULL;
  if (!inLibrary)
    return 1;
  volatile int rounds = 0;
  _setjmp(back);
  if (rounds++ < 5)
    inLibrary(0);
  return rounds != 6 ? 2 : isElsewhere ? 3 : isBlocked ? 4 : 0;
}
#endif
