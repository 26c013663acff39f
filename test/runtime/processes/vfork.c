// RUN: rm -rf %t && mkdir -p %t && %like_plain %t %ada_clang -O1 %s
// RUN: %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// RUN: %calls manifest %t/session process.exit.how process.exit.code | FileCheck %s --check-prefix=EXIT
// vfork and exec, posix_spawn and system: the child shares our memory for a moment and must not end or disturb our trace.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
extern char **environ;
NOINLINE void leaf(void) { __asm__ volatile(""); }
NOINLINE int byVfork(const char *program) {
  char *arguments[] = {(char *)program, NULL};
  pid_t pid = vfork();
  if (pid == 0) {
    execve(program, arguments, environ);
    _exit(77);
  }
  int status;
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}
NOINLINE int bySpawn(void) {
  char *arguments[] = {"false", NULL};
  pid_t pid;
  int status;
  posix_spawn(&pid, "/bin/false", NULL, NULL, arguments, environ);
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}
// CHECK:      {{^}}main
// CHECK-NEXT: {{^}}  byVfork
// CHECK-NEXT: {{^}}  leaf
// CHECK-NEXT: {{^}}  byVfork
// CHECK-NEXT: {{^}}  leaf
// CHECK-NEXT: {{^}}  bySpawn
// CHECK-NEXT: {{^}}  leaf
// CHECK-NOT:  {{.}}
// EXIT: process.exit.how="code"
// EXIT-NEXT: process.exit.code=42
int main(void) {
  int a = byVfork("/bin/false");
  leaf();
  int b = byVfork("/nowhere/at/all");
  leaf();
  int c = bySpawn();
  leaf();
  printf("%d %d %d %d\n", a, b, c, WEXITSTATUS(system("exit 5")));
  return 42;
}
