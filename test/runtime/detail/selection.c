// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: %session:detail=work* %t/p && %details count %t/session | FileCheck %s --check-prefix=SOME --implicit-check-not=calls
// RUN: %calls total --open=0 %t/session | FileCheck %s --check-prefix=TOTAL && adatrace verify %t/session
// RUN: %session:session=%t/v1:detail=work*:format=1 %t/p && %details count %t/v1 | FileCheck %s --check-prefix=SOME
// RUN: adatrace verify %t/v1
// RUN: %session:session=%t/none:detail=nobody* %t/p && %details total %t/none | FileCheck %s --check-prefix=NONE
// RUN: find %t/none -name 'detail.atf*' | count 0
// RUN: %session:session=%t/api %t/p api && %details count %t/api | FileCheck %s --check-prefix=API --implicit-check-not=calls
// Some functions have detail, all others only index events, chosen by option or by the program; every link holds in both directions.
// If nothing was captured, there is no detail file. Threads that called no chosen function have none either.
// SOME:      work_a calls=300 returns=300
// SOME-NEXT: work_b calls=100 returns=100
// TOTAL: events=1008
// NONE: details=0 files=0
// API: work_b calls=50 returns=50
#include <ada/trace.h>
#include <pthread.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
NOINLINE int work_a(int a) {
  __asm__ volatile("");
  return a + 1;
}
NOINLINE int work_b(int a) { return work_a(a) + work_a(a); }
NOINLINE void other(void) { __asm__ volatile(""); }
static void *withDetails(void *argument) {
  for (int i = 0; i < 50; ++i)
    work_b(i);
  return argument;
}
static void *without(void *argument) {
  for (int i = 0; i < 50; ++i)
    other();
  return argument;
}
ADA_NEVER int main(int argc, char **argv) {
  int on = argc > 1 && !strcmp(argv[1], "api");
  pthread_t t;
  for (int i = 0; i < 2; ++i) { // one after the other
    if (on && i == 1 && ada_enable_detail("work_b") != 1)
      return 1;
    pthread_create(&t, NULL, withDetails, NULL);
    pthread_join(t, NULL);
  }
  if (on && ada_disable_detail("work_*") != 2)
    return 2;
  for (int i = 0; i < 100; ++i)
    work_a(i);
  pthread_create(&t, NULL, without, NULL);
  pthread_join(t, NULL);
  pthread_create(&t, NULL, without, NULL);
  pthread_join(t, NULL);
  return 0;
}
