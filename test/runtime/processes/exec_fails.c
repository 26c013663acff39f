// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clang -O1 -DLESS=%less -I%include %s -pthread -o %t/p
// RUN: env ADA_OPTIONS=session=threads:buffer=256K %t/p threads && adatrace verify -q threads && %calls total --open=0 threads | FileCheck %s --check-prefix=THREADS
// RUN: %calls manifest threads process.exit.how | FileCheck %s --check-prefix=CODE
// RUN: not --crash env ADA_OPTIONS=session=killed:ring=%t %t/p killed && cat killed/pid_*/manifest.json | FileCheck %s --check-prefix=RUNNING && adatrace recover -q killed && %calls total killed | FileCheck %s --check-prefix=KILLED
// RUN: env ADA_OPTIONS=session=replaced:ring=%t %t/p replaced && ls %t | FileCheck %s --check-prefix=NONE
// RUN: env ADA_OPTIONS=session=handler %t/p handler && adatrace verify -q handler
// An exec that fails changes nothing: the ring is there, however many threads record then, and so are the events that a
// kill leaves in it. A successful exec leaves no ring once the next traced program has started. A handler that calls
// _exit while exec waits for the drain ends the process.
// THREADS: events=800202
// CODE: "code"
// RUNNING: "how":"running"
// KILLED: events=2003
// NONE-NOT: adatrace-
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
static void *thread(void *argument) {
  for (int i = 0; i < 10000; ++i)
    work();
  return argument;
}
static void quit(int s) {
  (void)s;
  _exit(0);
}
int main(int argc, char **argv) {
  const char *what = argv[argc - 1];
  if (!strcmp(what, "handler")) { // in many children, at a different moment in each
    for (int i = 0; i < (LESS == 1 ? 200 : 20); ++i) {
      if (fork() == 0) {
        struct itimerval soon = {{0, 0}, {0, 1 + i * 20}};
        signal(SIGALRM, quit);
        setitimer(ITIMER_REAL, &soon, 0);
        for (int n = 0; n < 1000; ++n) {
          work();
          execlp("/nowhere/at/all", "x", (char *)0);
        }
        _exit(1);
      }
      int status;
      wait(&status);
      if (status)
        return 1;
    }
    return 0;
  }
  if (!strcmp(what, "done"))
    return 0;
  if (!strcmp(what, "replaced")) {
    work();
    execl(argv[0], argv[0], "done", (char *)0);
    return 1;
  }
  execlp("/nowhere/at/all", "x", (char *)0);
  if (!strcmp(what, "killed")) {
    for (int i = 0; i < 1000; ++i)
      work();
    usleep(300000); // the manifest says again that the process runs
    work();
    abort();
  }
  pthread_t all[40];
  for (int i = 0; i < 40; ++i)
    pthread_create(&all[i], 0, thread, 0);
  for (int i = 0; i < 40; ++i)
    pthread_join(all[i], 0);
  for (int i = 0; i < 60; ++i)
    work();
  return 0;
}
