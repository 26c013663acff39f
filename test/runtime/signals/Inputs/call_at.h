// A call on another stack.
#pragma once

// Calls function() with the stack pointer at `stack`.
#if defined(__x86_64__)
__asm__(".text\n.globl callAt\n.type callAt, @function\n"
        "callAt: push %rbx\n mov %rsp, %rbx\n mov %rdi, %rsp\n call *%rsi\n mov %rbx, %rsp\n pop %rbx\n ret\n"
        ".size callAt, .-callAt\n");
#else
__asm__(".text\n.globl callAt\n.type callAt, %function\n"
        "callAt: stp x19, x30, [sp, -16]!\n mov x19, sp\n mov sp, x0\n blr x1\n mov sp, x19\n ldp x19, x30, [sp], 16\n ret\n"
        ".size callAt, .-callAt\n");
#endif
void callAt(char *stack, void (*function)(void));
