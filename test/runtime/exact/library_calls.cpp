// RUN: %like_plain %t %ada_clangxx -O0 --ada-calls='std::*,pthread_*,operator new*,operator delete*' %s -pthread && %calls tree --open=0 %t/session | FileCheck %s
// RUN: %like_plain %t %ada_clangxx -O2 --ada-calls='std::*,pthread_*,operator new*,operator delete*' -g %s -pthread && %calls tree --open=0 %t/session | FileCheck %s
// RUN: %like_plain %t %ada_clangxx -O2 --ada-calls='std::*,pthread_*,operator new*,operator delete*' %s -pthread --ada-before-inlining && %calls tree --open=0 %t/session | FileCheck %s
// RUN: %like_plain %t %ada_clangxx -O1 --ada-calls='std::*,pthread_*,operator new*,operator delete*' %s -pthread -flto=thin && %calls tree --open=0 %t/session | FileCheck %s
// Exceptions thrown by a C++ library, and pthread_exit, leave the call by unwinding.
#include <cstdio>
#include <new>
#include <pthread.h>
#include <stdexcept>
#define NOINLINE __attribute__((noinline))

NOINLINE bool throws() {
  try {
    std::__throw_out_of_range("far"); // declared by libstdc++'s <bits/functexcept.h>
  } catch (const std::out_of_range &) {
    return true;
  }
  return false;
}
NOINLINE void *leaves(void *argument) {
  pthread_exit(argument);
  return nullptr;
}
void *volatile kept;
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}main
// CHECK-NEXT: {{^}}  throws()
// CHECK-NEXT: {{^}}    std::__throw_out_of_range(char const*) (exception)
// CHECK-NEXT: {{^}}  operator new(unsigned long)
// CHECK-NEXT: {{^}}  operator delete(void*)
// CHECK-NEXT: {{^}}  pthread_create
// CHECK-NEXT: {{^}}  pthread_join
// CHECK-NEXT: thread 1:
// CHECK-NEXT: {{^}}leaves(void*) (exception)
// CHECK-NEXT: {{^}}  pthread_exit (exception)
// CHECK-NOT:  {{.}}
int main() {
  int thrown = throws();
  kept = ::operator new(4);
  ::operator delete(kept);
  pthread_t thread;
  void *result = nullptr;
  pthread_create(&thread, nullptr, leaves, &thread);
  pthread_join(thread, &result);
  std::printf("%d %d\n", thrown, result == &thread);
}
