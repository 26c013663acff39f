// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clangxx -O1 -g -fsanitize=address,undefined %s -pthread
// RUN: %calls count --open=0 --only='^(work|thrower)' %t/session | FileCheck %s
// RUN: %session:session=%t/bad not %t/traced bad 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: adatrace recover -q %t/bad && %calls tree %t/bad --only='^(main|bad)' | FileCheck --strict-whitespace %s --check-prefix=TREE
// REQUIRES: native
// (compilers have the sanitizers' runtimes for the host only) AddressSanitizer beside us: no complaint about the runtime, its usual complaints, and the trace up to them.
// CHECK: thrower(int) calls=100 returns=90 exceptions=10
// CHECK-COUNT-3: work(void*) calls=1 returns=1
// BAD: heap-use-after-free
// TREE: {{^}}main (open)
// TREE: {{^}}  bad(int*) (open)
#include <pthread.h>
#include <stdio.h>
#include <string>
__attribute__((noinline)) int bad(int *p) { return *p; }
__attribute__((noinline)) void thrower(int n) {
  std::string text(100, 'x');
  if (n % 10 == 0)
    throw text;
}
void *work(void *p) {
  char *volatile memory = new char[100];
  delete[] memory;
  return p;
}
int main(int argc, char **) {
  int caught = 0;
  for (int i = 0; i < 100; ++i)
    try {
      thrower(i);
    } catch (const std::string &) {
      ++caught;
    }
  for (int i = 0; i < 3; ++i) {
    pthread_t t;
    pthread_create(&t, nullptr, work, nullptr);
    pthread_join(t, nullptr);
  }
  printf("%d\n", caught);
  if (argc > 1) {
    int *p = new int(3);
    delete p;
    return bad(p);
  }
}
