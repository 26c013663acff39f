// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s
// RUN: %calls manifest %t/session process.exit.code | FileCheck %s --check-prefix=EXIT
// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s --ada-static-runtime
// RUN: %calls manifest %t/session process.exit.code | FileCheck %s --check-prefix=EXIT
// The program has functions of its own under names of libc's, traced ones: the runtime calls none of them, neither for its options
// (own getenv: no session would be made where it is looked for) nor for its clock.
// EXIT: 3
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
static volatile int called;
#define OWN(type, name, parameters, result)                                                                            \
  type name parameters {                                                                                               \
    ++called;                                                                                                          \
    return result;                                                                                                     \
  }
OWN(int, clock_gettime, (clockid_t clock, struct timespec *t), ((void)clock, t->tv_sec = t->tv_nsec = 0, 0))
OWN(char *, getenv, (const char *name), ((void)name, (char *)0))
OWN(unsigned long, getauxval, (unsigned long type), (type))
OWN(time_t, time, (time_t * t), ((void)t, 0))
OWN(struct tm *, localtime_r, (const time_t *t, struct tm *to), ((void)t, to))
OWN(int, sigaction, (int n, const struct sigaction *a, struct sigaction *b), ((void)n, (void)a, (void)b, -1))
OWN(int, pthread_key_create, (pthread_key_t *key, void (*end)(void *)), ((void)key, (void)end, 1))
int main(void) {
  printf("%d\n", called);
  return called == 0 ? 3 : 1;
}
