// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/p
// RUN: %session %t/p && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// The drain holds no end of the program's pipes: a reader sees the end when the program closes its side, and a writer
// gets SIGPIPE when the reader is gone, while recording continues.
// CHECK: {{^}}main
// CHECK: {{^}}  goesOn
#include <signal.h>
#include <unistd.h>
__attribute__((noinline)) void goesOn(void) { __asm__ volatile(""); }
int main(void) {
  for (int i = 0; i < 50; ++i) {
    int ends[2];
    char c;
    if (pipe(ends))
      return 1;
    close(ends[1]);
    goesOn();
    alarm(20); // a pipe held open would block here
    if (read(ends[0], &c, 1) != 0)
      return 2;
    if (pipe(ends))
      return 3;
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    if (write(ends[1], "x", 1) != -1)
      return 4;
    close(ends[1]);
  }
  return 0;
}
