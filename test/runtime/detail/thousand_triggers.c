// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: %session:detail='*':detail_mode=window:pre_roll_ms=0:post_roll_ms=0:trigger='call:mark' %t/p && %details windows %t/session > %t/windows && adatrace verify %t/session
// RUN: %python -c "import re,sys; print(sum(int(n) for n in re.findall(r'window of (\d+)', open(sys.argv[1]).read())))" %t/windows | FileCheck %s
// RUN: %session:session=%t/all:detail='*':detail_mode=window:pre_roll_ms=60000:post_roll_ms=60000:trigger='call:mark' %t/p && %details windows %t/all | FileCheck %s --check-prefix=ALL
// RUN: %details count %t/all | FileCheck %s --check-prefix=COUNT && adatrace verify %t/all
// A thousand triggers in a row on each of two threads: each has its window, and nothing inside the windows is lost.
// CHECK: {{^}}2000{{$}}
// ALL: window of 2000 triggers
// COUNT: mark calls=2000 returns=2000
// COUNT: work calls=20000 returns=20000
#include <ada/attributes.h>
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE int work(int a) { return sink = a; }
NOINLINE void mark(int a) { sink = a; }
ADA_NEVER static void *thread(void *argument) {
  for (int i = 0; i < 1000; ++i) {
    for (int k = 0; k < 10; ++k)
      work(k);
    mark(i);
  }
  return argument;
}
ADA_NEVER int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  thread(NULL);
  pthread_join(t, NULL);
}
