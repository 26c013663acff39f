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
// A second NAME of the function OF. Without a size: debuggers and profilers show the other name.
#define FUNC_ALIAS(name, of)                                                   \
  .globl name;                                                                 \
  .type name, %function;                                                       \
  .set name, of;                                                               \
  .size name, 0
#define STACK_IS_NOT_EXECUTABLE .section .note.GNU-stack, "", %progbits
