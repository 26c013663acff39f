// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/p
// RUN: %session %t/p && %calls total --open=0 %t/session | FileCheck %s && adatrace verify %t/session
// A daemon closes all descriptors again and again, and reuses their numbers: none of them belongs to the runtime.
// CHECK: events=400004 open=0 dropped=0
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void middle(void) {
  for (int i = 0; i < 200000; ++i) {
    leaf();
    if (i % 1000 == 0) {
      for (int fd = 0; fd < 64; ++fd)
        close(fd);
      if (open("/dev/null", O_RDWR) != 0) // the lowest number is free
        _exit(1);
    }
  }
}
int main(void) {
  middle();
  return 0;
}
