// RUN: rm -rf %t && mkdir -p %t/disk %t/rings && %ada_clang -O1 %s -o %t/p
// RUN: unshare -m sh -ec 'mount -t tmpfs -o size=64k none %t/disk; head -c 64k /dev/zero > %t/disk/full; ADA_OPTIONS=session=%t/disk/s:ring=%t/rings %t/p; find %t/disk/s %t/rings' > %t/out 2>&1
// RUN: FileCheck %s < %t/out
// REQUIRES: root
// (to mount a small file system) Without room for the manifest, a trace would have no names: nothing is recorded, one
// line says so, and neither a ring nor an empty directory is left.
// CHECK: AdaTrace: cannot write {{.*}}/manifest.json: No space left on device. This program runs untraced.
// CHECK-NEXT: {{^}}output
// CHECK-NEXT: /disk/s{{$}}
// CHECK-NEXT: /rings{{$}}
// CHECK-NOT: {{.}}
#include <stdio.h>
__attribute__((noinline)) void leaf(void) { puts("output"); }
int main(void) {
  leaf();
  return 0;
}
