// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clang -O1 -I%include %s -o %t/p -pthread && %ada_clang --ada-off -O1 -I%include %s -o %t/plain -pthread && %t/plain count > %t/tasks
// RUN: env ADA_OPTIONS=enabled=0:ring=%t %t/p $(cat %t/tasks) none && env ADA_OPTIONS=include=nobody:session=s/t:ring=%t %t/p $(cat %t/tasks) none && env ADA_OPTIONS=output=o:enabled=0 %t/p $(cat %t/tasks) threads && env ADA_OPTIONS=output=/nowhere/at/all:enabled=0 %t/p $(cat %t/tasks) none
// RUN: ls %t | FileCheck %s --check-prefix=NOTHING
// RUN: env ADA_OPTIONS=enabled=0:output=late %t/p starts && adatrace verify late/session_* && %calls tree --open=0 late/session_* | FileCheck %s --check-prefix=LATE
// RUN: env ADA_OPTIONS=output=children %t/p forks && ls children | FileCheck %s --check-prefix=ONE && %calls total children/session_* | FileCheck %s --check-prefix=CHILDREN
// RUN: env ADA_OPTIONS=output=vfork %t/p vforks && %calls total vfork/session_* | FileCheck %s --check-prefix=VFORK
// A program that records nothing makes no thread, no directory and no ring, whatever places the options name. Children that are forked
// before anything was recorded share one session. A vfork child, which runs in its parent's memory, does not start the parent's
// session. (An emulator makes its own threads after a while: they are counted in an untraced run.)
// NOTHING: {{^}}p{{$}}
// NOTHING-NEXT: {{^}}plain{{$}}
// NOTHING-NEXT: {{^}}tasks{{$}}
// NOTHING-NOT: {{.}}
// LATE: thread 0:
// LATE-NEXT: {{^}}work
// LATE-NOT: work
// ONE: session_
// ONE-NOT: session_
// CHILDREN: processes=5
// VFORK: processes=1
#define _GNU_SOURCE
#include <ada/attributes.h>
#include <ada/trace.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#pragma weak ada_session_path
#pragma weak ada_start
#pragma weak ada_stop
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
ADA_NEVER static int threads(void) {
  int n = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *e; (e = readdir(tasks));)
    n += e->d_name[0] != '.';
  closedir(tasks);
  return n;
}
// Whether the process has that many threads within a second. (The drain never ends before the program.)
ADA_NEVER static int hasThreads(int wanted) {
  for (int i = 0; i < 1000 && threads() != wanted; ++i)
    usleep(1000);
  return threads() == wanted;
}
ADA_NEVER static void *thread(void *argument) {
  work();
  return argument;
}
ADA_NEVER int main(int argc, char **argv) {
  const char *what = argv[argc - 1];
  if (!strcmp(what, "count")) {
    usleep(500000);
    return printf("%d\n", threads()) < 0;
  }
  if (!strcmp(what, "none") || !strcmp(what, "threads")) {
    for (int i = 0; i < 1000; ++i)
      work();
    if (!strcmp(what, "threads")) {
      pthread_t t;
      pthread_create(&t, 0, thread, 0);
      pthread_join(t, 0);
    }
    return !hasThreads(atoi(argv[1])) || ada_session_path()[0] != 0;
  }
  if (!strcmp(what, "starts")) {
    work();
    ada_start();
    work();
    ada_stop();
    work();
    return ada_session_path()[0] == 0;
  }
  if (!strcmp(what, "forks")) {
    for (int i = 0; i < 4; ++i)
      if (fork() == 0) {
        work();
        return 0;
      }
    while (wait(0) > 0)
      ;
    work();
    return 0;
  }
  pid_t pid = vfork();
  if (pid == 0) {
    work();
    _exit(0);
  }
  waitpid(pid, 0, 0);
  work();
  return 0;
}
