// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -I%include -pthread -o %t/names && %session %t/names
// RUN: %calls manifest %t/session threads.0.name threads.1.name threads.2.name | FileCheck %s
// A thread's name is the one set by ada_set_thread_name, or else the system's.
// CHECK: threads.0.name="{{names|qemu-.*}}"
// CHECK: threads.1.name="worker äö"
// CHECK: threads.2.name="exactly fifteen"
#define _GNU_SOURCE
#include <ada/trace.h>
#include <pthread.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
void *system_(void *argument) {
  work();
  pthread_setname_np(pthread_self(), argument);
  return NULL;
}
void *ours(void *argument) {
  work();
  pthread_setname_np(pthread_self(), "overruled");
  ada_set_thread_name(argument);
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, system_, "worker \xc3\xa4\xc3\xb6");
  pthread_join(t, NULL);
  pthread_create(&t, NULL, ours, "exactly fifteen, then more");
  pthread_join(t, NULL);
  return 0;
}
