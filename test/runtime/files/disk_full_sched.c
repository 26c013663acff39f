// RUN: rm -rf %t && mkdir -p %t/disk && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: unshare -m sh -ec 'mount -t tmpfs -o size=1m none %t/disk; for pages in 3 4 5 6 9; do ADA_OPTIONS=session=%t/disk/s %t/p %t/disk/full $pages 2>&1; rm %t/disk/full; cp -r %t/disk/s %t/s$pages; rm -r %t/disk/s; done'
// RUN: for s in %t/s?; do adatrace verify $s || exit 1; done > %t/said && FileCheck %s < %t/said
// RUN: grep -ho '"sched":{[^}]*}' %t/s?/pid_*/manifest.json | FileCheck %s --check-prefix=SCHED
// REQUIRES: root, switch-events
// (to mount a small file system) The disk fills up with off-CPU times, at the end of a page, with no room even for the end of the file. The
// written part is closed properly, and reaches up to where the disk was full. The manifest needs no room to say so, and nothing else is missing.
// CHECK-COUNT-5: ok: 4 events, 2 threads, 1 process
// CHECK-NOT: {{.}}
// SCHED-COUNT-5: "failure":"No space left on device"
#include "Inputs/fill_disk.h"
#include <ada/attributes.h>
#include <ada/trace.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void nap(void) { usleep(1); }
ADA_NEVER static void *thread(void *argument) {
  nap();
  for (int i = 0; i < 2000; ++i)
    usleep(1);
  return argument;
}
ADA_NEVER int main(int argc, char **argv) {
  nap();
  ada_flush();
  int fd = fillDisk(argv[argc - 2], atoi(argv[argc - 1]));
  if (fd < 0)
    return 1;
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  pthread_join(t, 0);
  return close(fd);
}
