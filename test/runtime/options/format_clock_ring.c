// RUN: rm -rf %t && mkdir -p %t/rings && %ada_clang -O1 %s -o %t/p
// RUN: %session:format=1 %t/p && %calls total --open=0 %t/session | FileCheck %s && adatrace verify %t/session
// RUN: od -An -tx1 -N6 %t/session/pid_*/thread_0/index.atf | FileCheck %s --check-prefix=V1
// RUN: %session:session=%t/b:clock=system %t/p && %calls total --open=0 %t/b | FileCheck %s && adatrace verify %t/b
// RUN: %calls manifest %t/b clock.source options.clock | FileCheck %s --check-prefix=SYSTEM
// RUN: %session:session=%t/c:ring=%t/rings %t/p %t/rings | FileCheck %s --check-prefix=RING && %calls total --open=0 %t/c | FileCheck %s
// RUN: %session:session=%t/d:ring=/proc/nowhere %t/p %t/d/pid_*/ && %calls total --open=0 %t/d | FileCheck %s
// RUN: test -z "$(ls %t/rings)"
// The other choices of format, clock and ring record the same events. If the ring's directory can't be used, the ring
// is beside the trace. Rings are removed at the end.
// CHECK: threads=1 events=20004 open=0 dropped=0
// V1: 41 54 49 32 01 01
// SYSTEM: clock.source="clock_gettime"
// SYSTEM: options.clock="system"
// RING: adatrace-
#include <ada/attributes.h>
#include <dirent.h>
#include <stdio.h>
ADA_NEVER static void list(const char *directory) {
  DIR *d = opendir(directory);
  for (struct dirent *e; d && (e = readdir(d));)
    if (e->d_name[0] != '.')
      puts(e->d_name);
}
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void middle(void) {
  for (int i = 0; i < 10000; ++i)
    leaf();
}
int main(int argc, char **argv) {
  middle();
  if (argc > 1)
    list(argv[1]);
  return 0;
}
