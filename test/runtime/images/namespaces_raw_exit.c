// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -shared -fPIC -DLIBRARY %s -o %t/library.so && %ada_clang -O1 %s -o %t/run -ldl
// RUN: for o in clock=auto clock=tick drain_threads=3; do for n in 1 2; do rm -rf %t/session && \
// RUN:   { %session:$o timeout 60 %t/run %t/library.so $n; test $? = 5; } && adatrace verify %t/session && \
// RUN:   test "$(adatrace dump %t/session | grep -c 'call  *inside')" = $n && test "$(ls -d %t/session/pid_* | wc -l)" = $((n + 1)) || exit 1; \
// RUN: done; done
// REQUIRES: native
// Native: an emulator has threads of its own.
// Two and three runtimes in one process (dlmopen), each with its own threads, and the program's last thread ends by the
// raw system call: the process ends, with all traces complete.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef LIBRARY
__attribute__((noinline)) void inside(void) { __asm__ volatile(""); }
#else
int main(int argc, char **argv) {
  (void)argc;
  for (int i = 0; i < atoi(argv[2]); ++i) {
    void *library = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
    if (!library)
      return 1;
    ((void (*)(void))dlsym(library, "inside"))();
  }
  syscall(SYS_exit, 5);
}
#endif
