// RUN: rm -rf %t && mkdir -p %t/disk && %ada_clang -O1 %s -o %t/p
// RUN: unshare -m sh -ec 'mount -t tmpfs -o size=256k none %t/disk; ADA_OPTIONS=session=%t/session:ring=%t/disk %t/p' && %calls total --open=0 %t/session | FileCheck %s
// RUN: rm -rf %t/session && unshare -m sh -ec 'mount -t tmpfs -o size=2m none %t/disk; ADA_OPTIONS=session=%t/session:ring=%t/disk %t/p' && %calls total --open=0 %t/session | FileCheck %s
// REQUIRES: root
// (to mount a small file system) /dev/shm may be small, as in containers: then the ring is beside the trace, or stays
// as small as it is. Nothing is lost and there is no SIGBUS.
// CHECK: events=2000004 open=0 dropped=0
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void middle(void) {
  for (int i = 0; i < 1000000; ++i)
    leaf();
}
int main(void) {
  middle();
  return 0;
}
