// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -o %t/p
// RUN: for n in 0 1 128 250 256; do %session:session=%t/$n:detail=top:stack_size=$n %t/p && adatrace verify %t/$n && %details count %t/$n; done | FileCheck %s
// A function at the very top of its stack, with nothing mapped above it: the stack window ends at the end of the stack.
// CHECK-COUNT-5: top calls=300 returns=300
#include <ada/attributes.h>
#include <stddef.h>
#include <sys/mman.h>
static volatile int calls;
__attribute__((noinline, used)) void top(void) { ++calls; }

// Calls top() with the stack pointer at `stack`.
#if defined(__x86_64__)
__asm__(".text\n.globl call_at\n.type call_at, @function\n"
        "call_at: push %rbx\n mov %rsp, %rbx\n mov %rdi, %rsp\n call top\n mov %rbx, %rsp\n pop %rbx\n ret\n"
        ".size call_at, .-call_at\n");
#else
__asm__(".text\n.globl call_at\n.type call_at, %function\n"
        "call_at: stp x19, x30, [sp, -16]!\n mov x19, sp\n mov sp, x0\n bl top\n mov sp, x19\n ldp x19, x30, [sp], 16\n ret\n"
        ".size call_at, .-call_at\n");
#endif
void call_at(char *stack);
ADA_NEVER int main(void) {
  enum { kBytes = 1 << 16 };
  char *stack = mmap(NULL, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED || mprotect(stack + kBytes, kBytes, PROT_NONE))
    return 1;
  for (int i = 0; i < 300; ++i)
    call_at(stack + kBytes - 16 * (i % 20));
  return calls == 300 ? 0 : 2;
}
