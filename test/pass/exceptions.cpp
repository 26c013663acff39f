// RUN: %same_behaviour %s
// RUN: FileCheck %s < %t-O0.events
// RUN: FileCheck %s < %t-O2-early.events
// Exceptions caught, rethrown, passing handlers of other types, escaping from threads' functions by pthread_exit,
// meeting noexcept: each call that is left by one is closed as such, and only those.
#include <cstdio>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#define NOINLINE __attribute__((noinline))

struct Noisy {
  const char *name;
  ~Noisy() { printf("~%s\n", name); }
};

NOINLINE int thrower(int x) {
  if (x == 3)
    throw x;
  if (x == 2)
    throw std::runtime_error("two");
  return x;
}
NOINLINE int middle(int x) {
  Noisy n{"middle"};
  return thrower(x) + 1;
}
NOINLINE int catchesRuntimeError(int x) {
  try {
    return middle(x);
  } catch (const std::runtime_error &e) {
    printf("caught %s\n", e.what());
    return -1;
  }
}
NOINLINE int rethrows(int x) {
  try {
    return catchesRuntimeError(x);
  } catch (...) {
    puts("again");
    throw;
  }
}
NOINLINE int plain(int x) { return rethrows(x) * 2; }
NOINLINE int isNoexcept(int x) noexcept {
  try {
    return middle(x);
  } catch (int i) {
    return i;
  }
}
struct ThrowsInConstructor {
  Noisy member{"member"};
  ThrowsInConstructor(int x) { thrower(x); }
};
NOINLINE int constructs(int x) {
  ThrowsInConstructor c(x);
  return 1;
}
NOINLINE void nested() {
  try {
    thrower(3);
  } catch (int) {
    try {
      thrower(2);
    } catch (std::exception &) {
      puts("inner");
    }
    throw;
  }
}
void *thread(void *result) {
  Noisy n{"thread"};
  pthread_exit(result);
}

// CHECK: 1 0 call main
// CHECK: 1 1 call _Z5plaini
// CHECK-NEXT: 1 2 call _Z8rethrowsi
// CHECK-NEXT: 1 3 call _Z19catchesRuntimeErrori
// CHECK-NEXT: 1 4 call _Z6middlei
// CHECK: 1 5 exception _Z7throweri
// CHECK: 1 4 exception _Z6middlei
// CHECK-NEXT: 1 3 return _Z19catchesRuntimeErrori
// CHECK-NEXT: 1 2 return _Z8rethrowsi
// CHECK-NEXT: 1 1 return _Z5plaini
// CHECK: 1 5 exception _Z7throweri
// CHECK: 1 4 exception _Z6middlei
// CHECK-NEXT: 1 3 exception _Z19catchesRuntimeErrori
// CHECK-NEXT: 1 2 exception _Z8rethrowsi
// CHECK-NEXT: 1 1 exception _Z5plaini
// CHECK: 1 2 exception _Z6middlei
// CHECK-NEXT: 1 1 return _Z10isNoexcepti
// CHECK: 1 0 return main
// CHECK: 2 0 exception _Z6threadPv
int main() {
  for (int i = 1; i < 4; i++)
    try {
      printf("plain %d\n", plain(i));
    } catch (int e) {
      printf("int %d\n", e);
    }
  printf("%d\n", isNoexcept(3));
  for (int i = 1; i < 4; i++)
    try {
      printf("%d\n", constructs(i));
    } catch (...) {
      puts("not constructed");
    }
  try {
    nested();
  } catch (int i) {
    printf("outer %d\n", i);
  }
  pthread_t t;
  pthread_create(&t, nullptr, thread, (void *)42);
  void *result;
  pthread_join(t, &result);
  printf("%ld\n", (long)result);
}
