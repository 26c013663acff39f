// The hooks on x86-64: the code that runs on every call and every exit in a traced program.
//
//===--- The contract -----------------------------------------------------===//
//
//   called by     instrumented functions whose enable byte was set, as preserve_mostcc
//   r10           the `nest` argument: address of the activation's ada_frame plus the enable byte as read on entry
//   rdi … r9,     __ada_enter: the function's own arguments, as its caller passed them
//   xmm0 … xmm7   __ada_exit: the return value in argument position
//   must survive  the stack and every general register except r11, including al (the vector-argument
//                 count of a varargs function)
//   may die       r11, flags, vector and x87 registers (the compiler has saved what it needs)
//   stack         need not be aligned: a program may switch to one that is off by 8. The frame and rsp always differ by
//                 a multiple of 8; what hooks call aligns its own stack (ADA_ANY_STACK)
//   signals       may arrive at any instruction, and their handlers may run these hooks too
//
// __ada_unwind is also called if the byte was 0, and then returns at once. The other hooks are not called in that case.
//
//===--- The call site ----------------------------------------------------===//
//
//     f:   movzbl f.enabled(%rip), %ebx
//          testb  %bl, %bl
//          jne    1f
//          …
//     1:   leaq   f.entry(%rip), %rax             // frame.function
//          movq   %rax, frame(%rsp)
//          leaq   return_address(%rsp), %rax      // frame.sp
//          movq   %rax, frame+8(%rsp)
//          leaq   frame(%rsp,%rbx), %r10
//          callq  *__ada_enter@GOTPCREL(%rip)
//
//===--- The hot path -----------------------------------------------------===//
//
// "Reserve first, stamp last." ada_thread.position (thread-local, initial-exec) is the address of the thread's next
// free record.
//
//   1  xadd reserves 16 bytes. It is one instruction, so a signal handler's own reservations come entirely before or
//      entirely after it. It needs no lock prefix, because no other thread touches the position.
//   2  A chunk is aligned to 64 KiB, so the low 16 bits of the old position show whether the chunk was full; the upper
//      byte of these is enough. Only a full chunk takes the slow path. A thread without a chunk has a position that
//      looks full.
//   3  The entry, taken from the frame, is stored with the kind in its low bits.
//   4  The clock is read and stored. A killed thread leaves a slot whose stamp is 0, which is not an event.
//      x86 keeps stores in order, so a reader that sees the stamp sees the entry.
//
// The clock is the counter or, with clock=tick and clock=none, the word ada_tick, which other threads advance
// (core/ring/tick_clock.h). The word is 0 in all other cases, so one predicted branch decides; next to rdtsc its cost is too
// small to measure (docs/explanation/ring.md). The clock is read after the entry was stored: readers of the ring rely on that
// (chunk_walk.h).
//
// rdtsc is not serialising: it may be executed about ten instructions early or late. A fence would cost as much as the
// whole hook and would order nothing that the traced program can observe.
//
// Cost (tools/dev bench): a call and its return cost two rdtsc plus a fiftieth; with the word, a quarter of two rdtsc
// (a third through a shared runtime's GOT).

#include "../asm.h"
#include "saved_registers.h"
#include <ada/abi.h>

// Pushes REG and tells the unwinder where the caller's value is now.
.macro SAVE reg
  pushq %\reg
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %\reg, 0
.endm
.macro RESTORE reg
  popq %\reg
  .cfi_adjust_cfa_offset -8
  .cfi_restore %\reg
.endm

.if ADA_CHUNK_FULL & 0xff
  .error "one byte of the position has to tell whether a chunk is full"
.endif

// The body of a hook: records KIND for the ENTRY. The record of a call (`isCall`) also gets its position in the stack
// window.
.macro RECORD name, kind, entry, isCall=0
  movq ada_thread@GOTTPOFF(%rip), %r11
  SAVE rax
  movl $ADA_RECORD_BYTES, %eax
  xaddq %rax, %fs:(%r11)           // rax = this record; ada_thread.position is the first member
.if !\isCall
  movq \entry, %r11
  leaq \kind(%r11), %r11           // entry | kind: entries are 16-byte aligned
.endif
  cmpb $(ADA_CHUNK_FULL >> 8), %ah
  jae .Lslow_\name
.if \isCall                       // position: core/record/stack_window.h; the place comes first: record.cpp
  SAVE rdx
  movq ada_thread@GOTTPOFF(%rip), %rdx
  movq (8 - ADA_ENABLE_INDEX)(%r10), %r11 // frame.sp
  subq %fs:8(%rdx), %r11           // ada_thread.stack
  rorq $4, %r11
  cmpq $0xffff, %r11
  ja .Loutside_\name
  shlq $48, %r11
  orq \entry, %r11
  leaq \kind(%r11), %r11           // position | entry | kind
  RESTORE rdx
.endif
  movq %r11, 8(%rax)               // record.what
  movq ada_tick(%rip), %r11
  testq %r11, %r11
  je .Lcounter_\name
  movq %r11, (%rax)                // record.stamp: the record counts from here on
  RESTORE rax
  retq
.Lcounter_\name:
  .cfi_adjust_cfa_offset 8         // the pop above is not on this path
  .cfi_rel_offset %rax, 0
  SAVE rdx                         // rdtsc writes rax and rdx
  movq %rax, %r11
  rdtsc
  shlq $32, %rdx
  orq %rdx, %rax
  movq %rax, (%r11)                // record.stamp
  RESTORE rdx
  RESTORE rax
  retq
.Lslow_\name:
  .cfi_adjust_cfa_offset 8         // likewise
  .cfi_rel_offset %rax, 0
  SAVE rdx
.if \isCall
.Loutside_\name:
  movq \entry, %r11
  leaq \kind(%r11), %r11
  movq %r10, %rdx
.else
  xorl %edx, %edx
.endif
  jmp .Lslow
.endm

// Where only calls and exits are recorded, r10 is the address of a frame plus ADA_ENABLE_INDEX.
#define ENTRY_OF_FRAME -ADA_ENABLE_INDEX(%r10)

.macro HOOK name, kind, isCall=0
FUNC_BEGIN(\name)
  endbr64                          // reached through the GOT: a valid indirect-branch target
  testb $ADA_ENABLE_DETAIL, %r10b
  jne .Ldetail_\name
.Lindex_\name:
  RECORD \name, \kind, ENTRY_OF_FRAME, \isCall
FUNC_END(\name)
.endm

// Takes the enable byte out of r10, whatever the alignment of the frame. The result is in r11; sets the flags.
.macro ENABLE_BYTE
  movq %r10, %r11
  subq %rsp, %r11
  andl $7, %r11d
.endm

  .text
  .hidden ada_tick

//===--- __ada_enter: a function was called -------------------------------===//
HOOK __ada_enter, ADA_RECORD_CALL, 1

//===--- __ada_exit: it returns -------------------------------------------===//
HOOK __ada_exit, ADA_RECORD_RETURN
FUNC_ALIAS(__ada_leave, __ada_exit)

//===--- __ada_unwind: it is left by unwinding ----------------------------===//
// Unwinding has no detail.
FUNC_BEGIN(__ada_unwind)
  endbr64
  ENABLE_BYTE
  je 1f
  SAVE r10
  subq %r11, %r10
  addq $ADA_ENABLE_INDEX, %r10
  callq ada_unwind_frame
  RESTORE r10
1:
  retq
FUNC_END(__ada_unwind)

  .hidden ada_unwind_frame
FUNC_BEGIN(ada_unwind_frame)
  RECORD ada_unwind_frame, ADA_RECORD_EXCEPTION, ENTRY_OF_FRAME
FUNC_END(ada_unwind_frame)

//===--- spans: the same for code that calls them as C functions ----------===//
.macro C_HOOK name, kind
FUNC_BEGIN(\name)
  endbr64
  RECORD \name, \kind, %rdi
FUNC_END(\name)
.endm
C_HOOK __ada_annotation_begin, ADA_RECORD_CALL
C_HOOK __ada_annotation_end, ADA_RECORD_RETURN

//===--- the slow path ----------------------------------------------------===//
// In: entry | kind in r11, the place in rax, and in rdx the r10 of a call or 0; rax and rdx are already pushed.
// Calls ada_record_slow(what, nest, place), which may get a new chunk, wait for the drain, or start recording the
// thread. It is an ordinary C function: by the contract the vector registers may die.
  .hidden ada_record_slow
  .type ada_slow_path, %function
ada_slow_path:
  .cfi_startproc
  .cfi_adjust_cfa_offset 16
  .cfi_rel_offset %rax, 8
  .cfi_rel_offset %rdx, 0
.Lslow:
  SAVE rcx
  SAVE rsi
  SAVE rdi
  SAVE r8
  SAVE r9
  SAVE r10
  cld                              // a signal handler may have been entered with DF set
  movq %r11, %rdi
  movq %rdx, %rsi
  movq %rax, %rdx
  callq ada_record_slow
  RESTORE r10
  RESTORE r9
  RESTORE r8
  RESTORE rdi
  RESTORE rsi
  RESTORE rcx
  RESTORE rdx
  RESTORE rax
  retq
  .cfi_endproc
  .size ada_slow_path, .-ada_slow_path

//===--- the same with registers and stack --------------------------------===//
// Everything that a call can carry in registers is saved in a struct on the stack (SavedRegisters in
// detail_registers.h, whose offsets are used here); an ordinary C function does the rest. A detail event is ten times
// the size of an index event, and so is its budget.

// Saves REG and tells the unwinder.
.macro KEEP reg, at
  movq %\reg, \at(%rsp)
  .cfi_rel_offset %\reg, \at
.endm
.macro GIVE_BACK reg, at
  movq \at(%rsp), %\reg
  .cfi_restore %\reg
.endm

.macro DETAIL_HOOK name, kind
  .type ada_detail\name, %function
  .p2align 4
ada_detail\name:
.Ldetail_\name:
  .cfi_startproc
  ENABLE_BYTE
  testb $ADA_ENABLE_DETAIL, %r11b
  je .Lindex_\name                 // what looked like the bit was a part of the frame's address
  negq %r11
  addq %r10, %r11                  // the frame
  subq $(SAVED_BYTES - 8), %rsp
  .cfi_adjust_cfa_offset SAVED_BYTES - 8
  KEEP rdi, 0
  KEEP rsi, 8
  KEEP rdx, 16
  KEEP rcx, 24
  KEEP r8, 32
  KEEP r9, 40
  KEEP rax, 48                     // al: vector-argument count of a varargs callee
  movq %rbp, SAVED_RBP(%rsp)       // callee-saved: not ours to restore
  movups %xmm0, (SAVED_VECTORS + 0)(%rsp)
  movups %xmm1, (SAVED_VECTORS + 16)(%rsp)
  movups %xmm2, (SAVED_VECTORS + 32)(%rsp)
  movups %xmm3, (SAVED_VECTORS + 48)(%rsp)
  movups %xmm4, (SAVED_VECTORS + 64)(%rsp)
  movups %xmm5, (SAVED_VECTORS + 80)(%rsp)
  movups %xmm6, (SAVED_VECTORS + 96)(%rsp)
  movups %xmm7, (SAVED_VECTORS + 112)(%rsp)
  KEEP r10, SAVED_FRAME
  cld
  movq %r11, %rdi                  // ada_record_detail(frame, saved, kind)
  movq %rsp, %rsi
  movl $\kind, %edx
  callq ada_record_detail
  GIVE_BACK r10, SAVED_FRAME
  GIVE_BACK rax, 48
  GIVE_BACK r9, 40
  GIVE_BACK r8, 32
  GIVE_BACK rcx, 24
  GIVE_BACK rdx, 16
  GIVE_BACK rsi, 8
  GIVE_BACK rdi, 0
  addq $(SAVED_BYTES - 8), %rsp
  .cfi_adjust_cfa_offset -(SAVED_BYTES - 8)
  retq
FUNC_END(ada_detail\name)
.endm

  .hidden ada_record_detail
DETAIL_HOOK __ada_enter, ADA_RECORD_CALL
DETAIL_HOOK __ada_exit, ADA_RECORD_RETURN

//===--- a stack of the runtime -------------------------------------------===//
// ada_run_on_stack(top, function, argument): calls function(argument) with its frames below `top`.
  .hidden ada_run_on_stack
FUNC_BEGIN(ada_run_on_stack)
  endbr64
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdi, %rsp
  movq %rdx, %rdi
  callq *%rsi
  movq %rbp, %rsp
  .cfi_def_cfa_register %rsp
  RESTORE rbp
  retq
FUNC_END(ada_run_on_stack)

  STACK_IS_NOT_EXECUTABLE

// Without this note the linker would disable IBT and SHSTK for the whole program.
  .section .note.gnu.property, "a", %note
  .p2align 3
  .long 4, 16, 5                   // name size, descriptor size, NT_GNU_PROPERTY_TYPE_0
  .asciz "GNU"
  .long 0xc0000002, 4, 3, 0        // GNU_PROPERTY_X86_FEATURE_1_AND: IBT | SHSTK
