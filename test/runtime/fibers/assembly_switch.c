// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/heap && %ada_clang -O1 -DIN_FRAME %s -o %t/frame
// RUN: adatrace record --packed --session=%t/s1 %t/heap 2>&1 | FileCheck %s --check-prefixes=WHY,HEAP
// RUN: adatrace record --packed --session=%t/s2 %t/frame 2>&1 | FileCheck %s --check-prefixes=WHY,FRAME
// RUN: for s in s1 s2; do adatrace report --format=csv --columns=exceptions,missing %t/$s 2>/dev/null | sort -u | FileCheck %s --check-prefix=ENDS --match-full-lines; done
// RUN: for s in s1 s2; do adatrace tree %t/$s 2>/dev/null | FileCheck %s --check-prefix=TREE; done
// RUN: adatrace record --format=2 --session=%t/atf %t/frame 2>&1 | FileCheck %s --check-prefix=ATF
// RUN: grep -c '"inferred_count"' %t/atf/pid_*/manifest.json
// REQUIRES: x86_64
// Two stacks that assembly switches between, on the heap or in a frame of the main stack, where positions prove that
// calls are over: no hook sees it. Such calls are shown as that, and the closing line says why, as far as it is known:
// in the second program returns come later. ATF has no such exits; its manifest has their number.
// WHY: the ends of {{.*}} calls are inferred: no hook saw them.
// HEAP-SAME: or switches stacks
// FRAME-SAME: so this program switches stacks by itself: let it call ada_fiber_switch()
// WHY-NOT: exits by exception
// ENDS: 0,0
// ENDS-NEXT: exceptions,missing
// ENDS-NOT: {{[0-9]}}
// TREE: [exit inferred]
// TREE-NOT: left by exception
// ATF: so they look like exits by exception
#include <stdlib.h>
void *turn(void **save, void *to);
__asm__(".text\n.globl turn\nturn:\n push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
        " mov %rsp,(%rdi)\n mov %rsi,%rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");
static void *mainStack, *stacks[2];
#define NOINLINE __attribute__((noinline))
NOINLINE int leaf(int n) {
  __asm__ volatile("" ::: "memory");
  return n;
}
NOINLINE int deeper(int n) {
  char pad[200];
  __asm__ volatile("" ::"r"(pad) : "memory");
  const int r = leaf(n) + 1;
  __asm__ volatile("" ::: "memory");
  return r;
}
NOINLINE void yieldTo(int from, int to) {
  turn(from < 0 ? &mainStack : &stacks[from], to < 0 ? mainStack : stacks[to]);
  leaf(from);
}
NOINLINE void body(int id) {
  for (;;) {
    deeper(id);
    yieldTo(id, id == 0 ? 1 : -1);
    deeper(id);
  }
}
static void body0(void) { body(0); }
static void body1(void) { body(1); }
static void prepare(int id, char *stack, size_t size, void (*function)(void)) {
  void **top = (void **)(((unsigned long)stack + size) & ~15ul);
  *--top = 0;
  *--top = (void *)function; // on entry the stack is off by 8, as after a call
  for (int i = 0; i < 6; i++)
    *--top = 0;
  stacks[id] = top;
}
NOINLINE void round1(int i) {
  leaf(i);
  yieldTo(-1, 0);
  leaf(i);
}
int main(void) {
  enum { size = 65536 };
#ifdef IN_FRAME
  char room[2 * size];
  __asm__ volatile("" ::"r"(room) : "memory");
#else
  char *room = malloc(2 * size);
#endif
  prepare(0, room, size, body0);
  prepare(1, room + size, size, body1);
  for (int i = 0; i < 100; i++)
    round1(i);
  return 0;
}
