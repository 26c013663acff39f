// Assembler macros that the trampolines of all architectures are written in.
#pragma once

#define FUNC_BEGIN(name)                                                       \
  .globl name;                                                                 \
  .type name, %function;                                                       \
  .p2align 5;                                                                  \
  name:                                                                        \
  .cfi_startproc
#define FUNC_END(name)                                                         \
  .cfi_endproc;                                                                \
  .size name, .- name
#define STACK_IS_NOT_EXECUTABLE .section .note.GNU-stack, "", %progbits
