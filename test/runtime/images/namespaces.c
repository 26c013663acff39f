// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -shared -fPIC -DLIBRARY %s -o %t/library.so
// RUN: %clang -O1 %s -o %t/plain -ldl && %ada_clang -O1 %s -o %t/traced -ldl
// RUN: for keep in 0 1; do for p in plain traced; do \
// RUN:   rm -rf %t/session && %session %t/$p %t/library.so $keep && adatrace verify %t/session && test "$(adatrace dump %t/session | grep -c 'call  *inside')" = 4; \
// RUN: done; done
// A traced library in two namespaces (dlmopen), unloaded or not, in a host with hooks and without: each namespace has
// its own copy of the runtime. Everything is recorded, and the process ends normally.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#ifdef LIBRARY
__attribute__((noinline)) void inside(void) { __asm__ volatile(""); }
#else
int main(int argc, char **argv) {
  (void)argc;
  for (int i = 0; i < 2; ++i) {
    void *library = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
    if (!library)
      return 1;
    void (*inside)(void) = (void (*)(void))dlsym(library, "inside");
    inside(), inside();
    if (!atoi(argv[2]))
      dlclose(library);
  }
  return 0;
}
#endif
