// RUN: rm -rf %t && mkdir -p %t/disk && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: unshare -m sh -ec 'mount -t tmpfs -o size=1m none %t/disk; for pages in 3 4 5 6 9; do ADA_OPTIONS=session=%t/disk/s %t/p %t/disk/full $pages 2>&1; rm %t/disk/full; cp -r %t/disk/s %t/s$pages; rm -r %t/disk/s; done'
// RUN: for s in %t/s?; do (adatrace verify $s || true); done > %t/said && FileCheck %s < %t/said
// RUN: for s in %t/s?; do adatrace recover -q $s && (adatrace verify $s || true); done > %t/after && FileCheck %s --check-prefix=AFTER < %t/after
// REQUIRES: root, switch-events
// (to mount a small file system) The disk fills up with off-CPU times, at the end of a page, with no room even for the end of the file. The
// written part is closed properly, and reaches up to where the disk was full. (There is no room for the manifest either.)
// CHECK-NOT: sched.ads
// CHECK-COUNT-5: did not finish its trace
// CHECK-NOT: sched.ads
// After recovery, it says why events are missing.
// AFTER-NOT: sched.ads
// AFTER-COUNT-5: recorder.failure: the recorder failed: cannot write {{.*}}: No space left on device
// AFTER-NOT: {{sched.ads|did not finish}}
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
