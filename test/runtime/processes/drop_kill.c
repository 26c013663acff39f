// RUN: rm -rf %t && mkdir -p %t/rings && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: for i in $(seq %few{2,5}); do rm -rf %t/session; not --crash env ADA_OPTIONS=session=%t/session:ring=%t/rings:buffer=256K:overflow=drop %t/p && adatrace recover -q %t/session && (adatrace verify %t/session > %t/said || cat %t/said >&2) && %calls total %t/session; done > %t/total
// RUN: sed -n "s/.*events=\([0-9]*\).*dropped=\([0-9]*\).*/\1 \2/p" %t/total | while read events dropped; do echo $((events + dropped)); done | uniq -c | FileCheck %s -DROUNDS=%few{2,5}
// A program that drops events is killed: the losses of ended threads, whose slots now belong to others, are counted,
// and so are the exits of dropped calls.
// CHECK: {{^ *}}[[ROUNDS]] 2400000{{$}}
// CHECK-NOT: {{.}}
#include <ada/attributes.h>
#include <pthread.h>
#include <signal.h>
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void middle(int n) {
  for (int i = 1; i < n; ++i)
    leaf();
}
ADA_NEVER static void *thread(void *argument) {
  for (int i = 0; i < 10; ++i)
    middle(10000);
  return argument;
}
ADA_NEVER int main(void) {
  for (int k = 0; k < 4; ++k) {
    pthread_t t[3];
    for (int i = 0; i < 3; ++i)
      pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < 3; ++i)
      pthread_join(t[i], 0);
  }
  raise(SIGKILL);
}
