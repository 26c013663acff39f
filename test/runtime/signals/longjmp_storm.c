// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/storm
// RUN: %session %t/storm && %calls total --open=0 %t/session && adatrace verify %t/session
// Handlers leave by siglongjmp, at any instruction, including the hooks': a reservation may never get its record. The
// trace nests, the drain never waits long for such a record, and the program ends.
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static sigjmp_buf back;
static volatile int handled;

void handler(int s) {
  (void)s;
  ++handled;
  siglongjmp(back, 1);
}
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(void) {
  struct sigaction action = {.sa_handler = handler};
  struct itimerval every = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
  sigsetjmp(back, 1);
  if (handled == 0) {
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
  }
  while (handled < 1000)
    work();
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGALRM, SIG_IGN);
  return 0;
}
