// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -DTIMES=$((3000 / %less)) -I%include %s -pthread -o %t/p
// RUN: %session %t/p && %calls total --open=0 %t/session && adatrace verify %t/session
// Recording is switched on and off, for all functions and for some, thousands of times while other threads call: every
// call is recorded with both ends or not at all.
#include <ada/trace.h>
#include <pthread.h>
static volatile int stop;
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void middle(int n) {
  leaf();
  if (n)
    middle(n - 1);
  leaf();
}
__attribute__((noinline)) void *thread(void *argument) {
  while (!stop)
    middle(3);
  return argument;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i)
    pthread_create(&t[i], 0, thread, 0);
  for (int i = 0; i < TIMES; ++i) {
    ada_stop();
    ada_start();
    if (i < 100) {
      ada_disable("middle");
      ada_enable("middle");
    }
  }
  stop = 1;
  for (int i = 0; i < 2; ++i)
    pthread_join(t[i], 0);
  return 0;
}
