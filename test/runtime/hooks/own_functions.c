// RUN: rm -rf %t && mkdir -p %t && for how in "" --ada-static-runtime -static -static-pie; do \
// RUN:   %like_plain %t %ada_clang -O1 -fno-builtin -w $how %s && %calls manifest %t/session process.exit.code | FileCheck %s || exit 1; \
// RUN: done
// REQUIRES: native
// Native: the static libc for AArch64 has functions of these names in objects that it needs.
// The program defines traced functions with names of libc's, and prints how often each was called and which were called after main: the same with hooks as without.
// The runtime calls none of them, neither for its options (with the program's getenv, no session would be made where the test looks for it) nor for its clock.
// CHECK: process.exit.code=3
#include <stddef.h>
int printf(const char *, ...);
int fflush(void *);
static volatile int isOver;
static void late(char letter) {
#ifdef __x86_64__
  long result = 1; // result of the call: SYS_write
  __asm__ volatile("syscall" : "+a"(result) : "D"(1L), "S"(&letter), "d"(1L) : "rcx", "r11", "memory");
#endif
}
#define EACH(DO)                                                                                                       \
  DO('a', clock_gettime, (int clock, long *t), (t[0] = t[1] = 0, 0))                                                   \
  DO('b', getenv, (const char *name), 0)                                                                               \
  DO('c', getauxval, (long type), type)                                                                                \
  DO('d', time, (long *t), 0)                                                                                          \
  DO('e', localtime_r, (long *t, void *to), (long)to)                                                                  \
  DO('f', gmtime_r, (long *t, void *to), (long)to)                                                                     \
  DO('g', sigaction, (int n, void *a, void *b), -1)                                                                    \
  DO('h', pthread_key_create, (void *key, void *end), 1)                                                               \
  DO('i', fork, (void), -1)                                                                                            \
  DO('j', getpid, (void), 4)                                                                                           \
  DO('k', syscall, (long n, ...), -1)                                                                                  \
  DO('l', open, (const char *path, int flags, ...), -1)                                                                \
  DO('m', openat, (int at, const char *path, int flags, ...), -1)                                                      \
  DO('n', read, (int fd, void *to, long n), -1)                                                                        \
  DO('o', close, (int fd), -1)                                                                                         \
  DO('p', mmap, (void *at, long n, int p, int f, int d, long o), -1)                                                   \
  DO('q', munmap, (void *at, long n), -1)                                                                              \
  DO('r', mprotect, (void *at, long n, int p), -1)                                                                     \
  DO('s', strcmp, (const char *a, const char *b), 0)                                                                   \
  DO('t', memcmp, (const void *a, const void *b, long n), 0)                                                           \
  DO('u', raise, (int n), -1)                                                                                          \
  DO('v', nanosleep, (void *t, void *left), -1)                                                                        \
  DO('w', sched_yield, (void), -1)                                                                                     \
  DO('x', prctl, (int n, ...), -1)                                                                                     \
  DO('y', sigprocmask, (int how, void *a, void *b), -1)                                                                \
  DO('z', pthread_sigmask, (int how, void *a, void *b), -1)
#define OWN(letter, name, parameters, result)                                                                          \
  static volatile int name##Calls;                                                                                     \
  long name parameters {                                                                                               \
    ++name##Calls;                                                                                                     \
    if (isOver)                                                                                                        \
      late(letter);                                                                                                    \
    return (long)(result);                                                                                             \
  }
EACH(OWN)
static volatile int moved;
void *memcpy(void *to, const void *from, size_t n) {
  ++moved;
  for (size_t i = 0; i < n; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
void *memset(void *to, int c, size_t n) {
  ++moved;
  for (size_t i = 0; i < n; ++i)
    ((volatile char *)to)[i] = (char)c;
  return to;
}
size_t strlen(const char *text) {
  size_t n = 0;
  ++moved;
  while (((const volatile char *)text)[n])
    ++n;
  return n;
}
void *malloc(size_t n) {
  static char memory[1 << 20];
  static size_t used;
  used += (n + 15) & ~(size_t)15;
  ++moved;
  return used <= sizeof memory ? memory + used - ((n + 15) & ~(size_t)15) : 0;
}
void *calloc(size_t n, size_t size) { return memset(malloc(n * size), 0, n * size); }
void *realloc(void *old, size_t n) { return malloc(n); }
void free(void *old) { ++moved; }
extern char **environ;
int main(void) {
  environ = 0;
#define PRINT(letter, name, parameters, result) printf("%s %d\n", #name, name##Calls);
  EACH(PRINT)
  printf("memory %d\n", moved);
  fflush(0);
  isOver = 1;
  return 3;
}
