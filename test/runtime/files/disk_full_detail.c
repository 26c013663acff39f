// RUN: rm -rf %t && mkdir -p %t/disk && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: unshare -m sh -ec 'mount -t tmpfs -o size=1m none %t/disk; for f in 1 2; do for pages in 0 1 20 70; do ADA_OPTIONS=session=%t/disk/s:sched=0:detail=leaf:format=$f %t/p %t/disk/full $pages 2>&1; rm %t/disk/full; cp -r %t/disk/s %t/s$f$pages; rm -r %t/disk/s; done; done' | FileCheck %s
// RUN: for s in %t/s??*; do %calls total $s; (adatrace verify $s || true); done > %t/total && FileCheck %s --check-prefix=TOTAL < %t/total
// RUN: sed -n 's/.*events=\([0-9]*\).*dropped=\([0-9]*\).*/\1 \2/p' %t/total | while read events dropped; do echo sum $((events + dropped)); done | FileCheck %s --check-prefix=SUM
// RUN: unshare -m sh -ec 'mount -t tmpfs -o size=1m none %t/disk; for pages in 0 1 2; do ADA_OPTIONS=session=%t/disk/s:sched=0:detail=leaf:format=packed %t/p %t/disk/full $pages 2>&1; rm %t/disk/full; cp -r %t/disk/s %t/packed$pages; rm -r %t/disk/s; done'
// RUN: for s in %t/packed?; do (adatrace verify $s || true); done > %t/packed.txt && grep problem: %t/packed.txt | not grep -v recorder.failure
// RUN: sed -n 's/.* \([0-9,]*\) events were not recorded.*/\1/p; s/^1 problem in [^:]*: \([0-9,]*\) events.*/\1/p' %t/packed.txt | tr -d , | paste - - | while read lost there; do echo sum $((lost + there)); done | FileCheck %s --check-prefix=PACKED
// RUN: ls -d %t/s??*/*/thread_1 | grep -c . | FileCheck %s --check-prefix=BEGUN
// REQUIRES: root
// (to mount a small file system) The disk fills up with detail, anywhere in the files of a thread. All events are in
// the trace or counted; no detail is left of calls that are not in the trace, and nothing of a thread if none of its
// events could be written. Off-CPU times are switched off: their files would take a page now and then. With 70 pages a
// thread's files are begun; with 20 only if the drain's first pass finds few events, as on a busy machine.
// CHECK-COUNT-8: AdaTrace: cannot write {{.*}}/thread_1/{{detail|index}}.atf: No space left on device. {{[1-9][0-9]*}} events were lost
// TOTAL-NOT: problem: {{.*}}atf
// TOTAL-COUNT-8: problem: {{.*}}: recorder.failure:
// SUM-COUNT-8: sum 3000
// PACKED-COUNT-3: sum 3000
// BEGUN: {{^}}{{[234]}}{{$}}
#include "Inputs/fill_disk.h"
#include <ada/attributes.h>
#include <ada/trace.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
ADA_NEVER static void *thread(void *argument) {
  for (int i = 0; i < 500; ++i)
    leaf();
  ada_flush();
  for (int i = 0; i < 500; ++i)
    leaf();
  return argument;
}
ADA_NEVER int main(int argc, char **argv) {
  for (int i = 0; i < 500; ++i)
    leaf();
  ada_flush();
  int fd = fillDisk(argv[argc - 2], atoi(argv[argc - 1]));
  if (fd < 0)
    return 1;
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  pthread_join(t, 0);
  return close(fd);
}
