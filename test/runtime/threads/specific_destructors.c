// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s -pthread
// RUN: %calls count --open=0 %t/session | FileCheck %s
// Destructors of thread-specific values are recorded, also those that set their value again, round after round.
// CHECK: again calls=3 returns=3
// CHECK: once calls=1 returns=1
#include <pthread.h>
#include <stdio.h>
static pthread_key_t keys[2];
static int rounds;
void once(void *value) { puts(value); }
void again(void *value) {
  puts(value);
  if (++rounds < 3)
    pthread_setspecific(keys[1], value);
}
void *thread(void *argument) {
  pthread_setspecific(keys[0], "once");
  pthread_setspecific(keys[1], "again");
  return argument;
}
int main(void) {
  pthread_key_create(&keys[0], once);
  pthread_key_create(&keys[1], again);
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
