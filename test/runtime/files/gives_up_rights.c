// RUN: rm -rf %t && mkdir -p %t/empty && chmod 700 %t && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: cd %t && env ADA_OPTIONS=session=%t/s %t/p %t/empty && adatrace verify -q s && %calls total --open=0 s | FileCheck %s && %calls manifest s process.exit.how | FileCheck %s --check-prefix=CODE
// RUN: find %t/s -perm /077 | FileCheck %s --allow-empty --check-prefix=PRIVATE && not ls -l $(%calls manifest %t/s recorder.ring | tr -d '"') 2>&1 | FileCheck %s --check-prefix=NORING
// RUN: mkdir -p %t/other && cd %t && env ADA_OPTIONS=session=%t/s4:drain_threads=4 %t/p %t/other && adatrace verify -q s4 && %calls total --open=0 s4 | FileCheck %s
// REQUIRES: root, native
// A daemon confines itself (chroot, setgroups, setgid, setuid): recording continues in a directory that it can't reach,
// and soon no thread, not even the drain, has rights that the program gave up. Other users cannot read the files.
// CHECK: processes=1 threads=6 events=120012 open=0 dropped=0
// CODE: "code"
// PRIVATE-NOT: {{.}}
// NORING: No such file
#define _GNU_SOURCE
#include <ada/attributes.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
static void *thread(void *argument) {
  for (int i = 0; i < 10000; ++i)
    work();
  return argument;
}
// The number of threads of this process that have another user than 65534, or a capability.
ADA_NEVER static int others(int tasks) {
  int found = 0, threads = 0;
  DIR *d = fdopendir(dup(tasks));
  rewinddir(d);
  for (struct dirent *e; (e = readdir(d));) {
    if (e->d_name[0] == '.')
      continue;
    char path[300], text[4096];
    snprintf(path, sizeof path, "%s/status", e->d_name);
    int fd = openat(tasks, path, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    close(fd);
    ++threads;
    found += !strstr(text, "\nUid:\t65534\t65534\t65534\t65534\n") || !strstr(text, "\nGid:\t65534\t65534\t65534\t65534\n") ||
             !strstr(text, "\nCapPrm:\t0000000000000000\n");
  }
  closedir(d);
  return threads < 2 ? -1 : found;
}
int main(int argc, char **argv) {
  work();
  int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (chroot(argv[argc - 1]) || chdir("/") || setgroups(0, 0) || setgid(65534) || setuid(65534))
    return 2;
  for (int i = 0; i < 4; ++i)
    work();
  pthread_t all[5];
  usleep(500000);
  for (int i = 0; i < 5; ++i)
    pthread_create(&all[i], 0, thread, 0);
  for (int i = 0; i < 5; ++i)
    pthread_join(all[i], 0);
  for (int i = 0; i < 10000 - 5; ++i)
    work();
  int left = others(tasks);
  for (int i = 0; i < 50 && left; ++i) {
    usleep(100000);
    left = others(tasks);
  }
  if (left)
    fprintf(stderr, "%d threads have more rights than the program\n", left);
  return left != 0;
}
