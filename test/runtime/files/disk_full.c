// RUN: rm -rf %t && mkdir -p %t/disk && %ada_clang -O1 %s -pthread -o %t/p
// RUN: unshare -m sh -ec 'mount -t tmpfs -o size=3m none %t/disk; ADA_OPTIONS=session=%t/disk/s:ring=/dev/shm %t/p >%t/out 2>%t/err; cp -r %t/disk/s %t/session'
// RUN: FileCheck %s < %t/out --check-prefix=OUT && FileCheck %s < %t/err && grep -c . %t/err | FileCheck %s --check-prefix=LINES
// RUN: %python %inputs/prefix.py %t/session thread main middle leaf last
// RUN: %calls total %t/session | sed 's/.*events=\([0-9]*\).*dropped=\([0-9]*\).*/\1 \2/' > %t/total && read events dropped < %t/total && test $((events + dropped)) = 808008 && (adatrace verify %t/session 2>&1 || true) | grep -c problem: | FileCheck %s --check-prefix=LINES && %calls manifest %t/session process.exit.how | FileCheck %s --check-prefix=CODE
// RUN: %python -c "import glob, json, sys; threads = json.load(open(glob.glob(sys.argv[1] + '/pid_*/manifest.json')[0]))['threads']; print([[g['events'] for g in t.get('gaps', [])] == [t['dropped']['write_error']] and t['gaps'][0]['from_ns'] >= t['time_end_ns'] for t in threads if t['dropped']])" %t/session | FileCheck %s --check-prefix=GAPS
// REQUIRES: root
// (to mount a small file system) The disk fills up: the program continues to its end, one line reports the failure and
// the number of lost events, and everything written before can be read.
// OUT: sum 400000
// CHECK: AdaTrace: cannot write {{.*}}/index.atf: No space left on device. {{[1-9][0-9]*}} events were lost; what was written before is complete.
// LINES: {{^1$}}
// (verify also reports one problem: that recording failed.) Files are closed after the last successful write, and all later events are
// counted, to the last one of the program. Each thread's loss is one gap, after its last event in the file.
// GAPS: {{^\[True(, True)?\]$}}
// CODE: "code"
#include <pthread.h>
#include <stdio.h>
static int sum;
__attribute__((noinline)) void leaf(void) { __atomic_add_fetch(&sum, 1, __ATOMIC_RELAXED); }
__attribute__((noinline)) void middle(void) {
  for (int i = 0; i < 100; ++i)
    leaf();
}
__attribute__((noinline)) void *thread(void *argument) {
  for (int i = 0; i < 2000; ++i)
    middle();
  return argument;
}
__attribute__((noinline)) void last(void) { printf("sum %d\n", sum); }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  thread(NULL);
  pthread_join(t, NULL);
  last();
  return 0;
}
