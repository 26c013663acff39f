// RUN: rm -rf %t && %ada_clang -O1 -I%include %s -pthread -o %t.p && env ADA_OPTIONS=session=%t %t.p && adatrace verify %t
// REQUIRES: switch-events
// A process is ready for exec when its files have their ends. Records that the system makes after that, about the drain
// and about threads that wait for it, must not be appended, because nothing would write another end.
#include <ada/attributes.h>
#include <ada/trace.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void tick(void) { __asm__ volatile(""); }
ADA_NEVER static void *flush(void *unused) {
  while (1) // each call makes the drain read everything
    ada_flush();
  return unused;
}
int main(int argc, char **argv) {
  if (argc > 2)
    return 0;
  for (int i = 0; i < 40; ++i) {
    if (!fork()) {
      pthread_t thread;
      tick();
      pthread_create(&thread, 0, flush, 0);
      execl(argv[0], argv[0], "again", "x", (char *)0);
      _exit(1);
    }
    int status;
    wait(&status);
    if (status != 0)
      return 1;
  }
  return 0;
}
