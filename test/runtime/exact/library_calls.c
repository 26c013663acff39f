// RUN: %like_plain %t %ada_clang -O0 --ada-calls=default,exit,_exit,setjmp,longjmp,qsort %s -pthread && %calls count --together %t/session | FileCheck %s
// RUN: %like_plain %t %ada_clang -O2 --ada-calls=default,exit,_exit,setjmp,longjmp,qsort -g %s -pthread && %calls count --together %t/session | FileCheck %s
// RUN: %like_plain %t %ada_clang -O2 --ada-calls=default,exit,_exit,setjmp,longjmp,qsort %s -pthread --ada-before-inlining && %calls count --together %t/session | FileCheck %s
// RUN: %like_plain %t %ada_clang -O2 --ada-calls=default,exit,_exit,setjmp,longjmp,qsort %s -pthread -flto && %calls count --together %t/session | FileCheck %s
// RUN: %like_plain %t %ada_clang -O3 --ada-calls=default,exit,_exit,setjmp,longjmp,qsort %s -pthread -fPIE -pie -D_FORTIFY_SOURCE=2 -D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE && %calls count --together %t/session | FileCheck %s
// RUN: %calls tree --only='compare|qsort|lands|longjmp|exit|bye' %t/session | FileCheck %s --check-prefix=TREE
// Calls of library functions are recorded as often as they are made, with both ends, however they end.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf buffer;
void *volatile kept;

NOINLINE int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
NOINLINE void lands(void) {
  if (!setjmp(buffer))
    longjmp(buffer, 1);
}
NOINLINE void bye(void) {
  printf("%s %d\n", "bye", 3);
  fflush(stdout);
}
NOINLINE void *thread(void *argument) {
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  if (argument)
    pthread_exit(argument);
  return argument;
}

// CHECK:      process 0:
// CHECK:      access calls=2 returns=2 exceptions=0
// CHECK-NEXT: bye calls=1 returns=1 exceptions=0
// CHECK-NEXT: close calls=2 returns=2 exceptions=0
// CHECK-NEXT: compare calls=1 returns=1 exceptions=0
// CHECK-NEXT: exit calls=1 returns=0 exceptions=0
// CHECK-NEXT: fflush calls=2 returns=2 exceptions=0
// CHECK-NEXT: fork calls=1 returns=1 exceptions=0
// CHECK-NEXT: free calls=100 returns=100 exceptions=0
// CHECK-NEXT: lands calls=1 returns=1 exceptions=0
// CHECK-NEXT: longjmp calls=1 returns=0 exceptions=1
// CHECK-NEXT: main calls=1 returns=0 exceptions=0
// CHECK-NEXT: malloc calls=100 returns=100 exceptions=0
// CHECK-NEXT: mkstemp calls=1 returns=1 exceptions=0
// CHECK-NEXT: open calls=3 returns=3 exceptions=0
// CHECK-NEXT: printf calls=2 returns=2 exceptions=0
// CHECK-NEXT: pthread_create calls=2 returns=2 exceptions=0
// CHECK-NEXT: pthread_join calls=2 returns=2 exceptions=0
// CHECK-NEXT: pthread_mutex_lock calls=2000 returns=2000 exceptions=0
// CHECK-NEXT: pthread_mutex_unlock calls=2000 returns=2000 exceptions=0
// CHECK-NEXT: qsort calls=1 returns=1 exceptions=0
// CHECK-NEXT: read calls=7 returns=7 exceptions=0
// CHECK-NEXT: thread calls=2 returns={{1|2}} exceptions={{0|1}}
// CHECK-NEXT: unlink calls=1 returns=1 exceptions=0
// CHECK-NEXT: waitpid calls=1 returns=1 exceptions=0
// CHECK-NEXT: write calls=5 returns=5 exceptions=0
// CHECK:      process 1:
// CHECK:      _exit calls=1 returns=0 exceptions=0
// CHECK:      write calls=2 returns=2 exceptions=0
// CHECK-NOT:  {{.}}
// TREE:       qsort
// TREE-NEXT:    compare
// TREE-NEXT:  lands
// TREE-NEXT:    longjmp (exception)
// TREE-NEXT:  exit (open)
// TREE-NEXT:    bye
// TREE-NOT:   {{compare|qsort|lands|longjmp|bye}}
int main(void) {
  char name[] = "/tmp/ada-library-calls-XXXXXX", text[32] = "";
  int values[2] = {2, 1}, status = 0, sum = 0;
  pthread_t threads[2];
  int fd = mkstemp(name);
  for (int i = 0; i < 5; ++i)
    if (write(fd, "abcdef", 6) != 6)
      return 1;
  close(fd);
  fd = open(name, O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < 7; ++i)
    sum += (int)read(fd, text, 5);
  close(fd);
  unlink(name);
  fd = open(name, O_RDONLY); // errno is as open set it, whatever the hooks do
  printf("%d %d %s %s\n", sum, fd, strerror(errno), text);
  errno = 0;
  if (open(name, O_RDONLY | O_DIRECTORY) >= 0 || errno != ENOENT || access(name, R_OK) == 0 || errno != ENOENT)
    return 2;
  errno = EDOM;
  if (access("/", R_OK) || errno != EDOM)
    return 3;
  fflush(stdout);
  for (int i = 0; i < 100; ++i) {
    kept = malloc(i + 1);
    free(kept);
  }
  qsort(values, 2, sizeof *values, compare);
  lands();
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, thread, i ? name : NULL);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 2; ++i)
      if (write(1, "child\n", 6) != 6)
        _exit(5);
    _exit(4);
  }
  waitpid(child, &status, 0);
  atexit(bye);
  exit(WEXITSTATUS(status) + values[0]);
}
