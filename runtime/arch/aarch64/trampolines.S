// The hooks on AArch64: the code that runs on every call and every exit in a traced program.
//
//===--- The contract -----------------------------------------------------===//
//
//   called by     instrumented functions whose enable byte was set, as preserve_mostcc
//   x18 or x15    the `nest` argument: address of the activation's ada_frame plus the enable byte as read on entry.
//                 LLVM 14 and 19 use x18, LLVM 22 uses x15. Each hook has two entry symbols, __ada_enter and
//                 __ada_enter_x15 for example; the pass calls the one that its LLVM uses
//   x0 … x7       __ada_enter: the function's own arguments, as its caller passed them
//   v0 … v7       __ada_exit: the return value
//   must survive  x9 … x15 and the callee-saved registers (x19 … x29, d8 … d15)
//   may die       x0 … x8, x16 … x18, flags, all other vector registers (the compiler has saved what it needs)
//   stack         sp = 0 mod 16
//   signals       may arrive at any instruction, and their handlers may run these hooks too
//
// __ada_unwind is also called if the byte was 0, and then returns at once. The other hooks are not called in that case.
//
//===--- The call site ----------------------------------------------------===//
//
//     f:   adrp  x8, f.enabled
//          ldrb  w8, [x8, :lo12:f.enabled]
//          cbnz  w8, 1f
//          …
//     1:   the frame's three words are stored
//          add   x18, sp, #frame                  // x15 with LLVM 22
//          add   x18, x18, x8
//          blr   __ada_enter                      // through the GOT
//
//===--- The hot path -----------------------------------------------------===//
//
// "Reserve first, stamp last", as on x86-64; the file for x86-64 explains each step. The differences:
//
//   - Before LSE no single instruction adds to memory, so ldxr/stxr do it. Taking an exception clears the monitor, so a
//     signal between them makes the store fail, and the pair is retried. No other thread touches the position.
//   - Stores may become visible in any order, so the stamp is stored with release: a reader that sees it also sees the
//     entry.
//   - cntvct_el0 is read without isb: being a few instructions early or late is less than the cost of a call.

#include "../asm.h"
#include "saved_registers.h"
#include <ada/abi.h>

// The body of a hook: records KIND for the entry in x3. A call passes its NEST register, and its record also gets the
// call's position in the stack window.
.macro RECORD kind, nest
  mrs x16, tpidr_el0
  adrp x17, :gottprel:ada_thread
  ldr x17, [x17, :gottprel_lo12:ada_thread]
  add x16, x16, x17                // &ada_thread.position, its first member
1:
  ldxr x0, [x16]                   // x0 = this record
  add x1, x0, #ADA_RECORD_BYTES
  stxr w2, x1, [x16]
  cbnz w2, 1b
  and x1, x0, #0xffff
  add x17, x3, #\kind              // entry | kind: entries are 16-byte aligned
  cmp x1, #ADA_CHUNK_FULL
  b.hs 8f
.ifnb \nest
  ldur x4, [\nest, #8 - ADA_ENABLE_INDEX] // frame.sp
  ldr x5, [x16, #8]                // ada_thread.stack
  sub x4, x4, x5
  ror x4, x4, #4
  lsr x5, x4, #16
  cbnz x5, 8f
  orr x17, x17, x4, lsl #48        // position | entry | kind
.endif
  str x17, [x0, #8]                // record.what
  adrp x2, ada_tick
  ldr x1, [x2, :lo12:ada_tick]     // the time with clock=tick, else 0
  cbnz x1, 2f
  mrs x1, cntvct_el0
2:
  stlr x1, [x0]                    // record.stamp: the record counts from here on
  ret
8:
.ifnb \nest
  mov x1, \nest
.else
  mov x1, xzr
.endif
  b ada_slow_path
.endm

.macro HOOK name, nest, kind, call
FUNC_BEGIN(\name)
  hint #34                         // bti c
  tbnz \nest, #1, .Ldetail_\name   // ADA_ENABLE_DETAIL
  ldur x3, [\nest, #-ADA_ENABLE_INDEX]
  RECORD \kind, \call
FUNC_END(\name)
.endm

// Unwinding has no detail.
.macro UNWIND_HOOK name, nest
FUNC_BEGIN(\name)
  hint #34                         // bti c
  tbz \nest, #0, 3f                // ADA_ENABLE_INDEX
  and x3, \nest, #-16
  ldr x3, [x3]
  RECORD ADA_RECORD_EXCEPTION
3:
  ret
FUNC_END(\name)
.endm

  .text
  .hidden ada_tick

//===--- a function was called; it returns; it is left by unwinding -------===//
HOOK __ada_enter, x18, ADA_RECORD_CALL, x18
HOOK __ada_exit, x18, ADA_RECORD_RETURN
FUNC_ALIAS(__ada_leave, __ada_exit)
UNWIND_HOOK __ada_unwind, x18

//===--- the same for LLVM 22 ---------------------------------------------===//
HOOK __ada_enter_x15, x15, ADA_RECORD_CALL, x15
HOOK __ada_exit_x15, x15, ADA_RECORD_RETURN
FUNC_ALIAS(__ada_leave_x15, __ada_exit_x15)
UNWIND_HOOK __ada_unwind_x15, x15

//===--- spans: the same for code that calls them as C functions ----------===//
.macro C_HOOK name, kind
FUNC_BEGIN(\name)
  hint #34                         // bti c
  mov x3, x0
  RECORD \kind
FUNC_END(\name)
.endm
C_HOOK __ada_annotation_begin, ADA_RECORD_CALL
C_HOOK __ada_annotation_end, ADA_RECORD_RETURN

// Saves two registers AT bytes above the frame record and tells the unwinder. BYTES is the size of the whole frame.
.macro KEEP2 first, second, at, bytes
  stp \first, \second, [sp, #\at]
  .cfi_offset \first, \at - \bytes
  .cfi_offset \second, \at + 8 - \bytes
.endm
.macro GIVE2_BACK first, second, at
  ldp \first, \second, [sp, #\at]
  .cfi_restore \first
  .cfi_restore \second
.endm

// A frame of that many bytes, which begins with a frame record.
.macro FRAME_RECORD bytes
  hint #25                         // paciasp
  .cfi_negate_ra_state
  stp x29, x30, [sp, #-\bytes]!
  .cfi_def_cfa_offset \bytes
  .cfi_offset x29, -\bytes
  .cfi_offset x30, -\bytes + 8
  mov x29, sp
  .cfi_def_cfa x29, \bytes
.endm
// Leaves it, and the function.
.macro RETURN_FROM_FRAME bytes
  .cfi_def_cfa sp, \bytes
  ldp x29, x30, [sp], #\bytes
  .cfi_def_cfa_offset 0
  .cfi_restore x29
  .cfi_restore x30
  hint #29                         // autiasp
  .cfi_negate_ra_state
  ret
.endm

// Saves x9 … x15 above a frame record: a C function may clobber them, but a hook must not.
#define FRAME_BYTES 80
.macro PROLOGUE bytes
  FRAME_RECORD \bytes
  KEEP2 x9, x10, 16, \bytes
  KEEP2 x11, x12, 32, \bytes
  KEEP2 x13, x14, 48, \bytes
  str x15, [sp, #64]
  .cfi_offset x15, 64 - \bytes
.endm
.macro EPILOGUE bytes
  ldr x15, [sp, #64]
  .cfi_restore x15
  GIVE2_BACK x13, x14, 48
  GIVE2_BACK x11, x12, 32
  GIVE2_BACK x9, x10, 16
  RETURN_FROM_FRAME \bytes
.endm

//===--- the slow path ----------------------------------------------------===//
// In: entry | kind in x17, the place in x0, and in x1 the nest of a call or 0.
// Calls ada_record_slow(what, nest, place), an ordinary C function.
  .hidden ada_record_slow
  .type ada_slow_path, %function
  .p2align 4
ada_slow_path:
  .cfi_startproc
  PROLOGUE FRAME_BYTES
  mov x2, x0
  mov x0, x17
  bl ada_record_slow
  EPILOGUE FRAME_BYTES
  .cfi_endproc
  .size ada_slow_path, .-ada_slow_path

//===--- the same with registers and stack --------------------------------===//
// Everything that a call can carry in registers is saved in a struct on the stack (SavedRegisters in
// detail_registers.h, whose offsets are used here); an ordinary C function does the rest.
#define SAVED FRAME_BYTES
#define DETAIL_FRAME_BYTES (SAVED + SAVED_BYTES)
  .hidden ada_record_detail
.macro DETAIL_HOOK name, nest, kind
  .type ada_detail\name, %function
  .p2align 4
ada_detail\name:
.Ldetail_\name:
  .cfi_startproc
  mov x16, x29                     // the traced function's frame pointer register
  PROLOGUE DETAIL_FRAME_BYTES
  stp x0, x1, [sp, #SAVED]
  stp x2, x3, [sp, #SAVED + 16]
  stp x4, x5, [sp, #SAVED + 32]
  stp x6, x7, [sp, #SAVED + 48]
  stp x16, xzr, [sp, #SAVED + SAVED_X29]
  stp q0, q1, [sp, #SAVED + SAVED_VECTORS + 0]
  stp q2, q3, [sp, #SAVED + SAVED_VECTORS + 32]
  stp q4, q5, [sp, #SAVED + SAVED_VECTORS + 64]
  stp q6, q7, [sp, #SAVED + SAVED_VECTORS + 96]
  and x0, \nest, #-16              // ada_record_detail(frame, saved, kind)
  add x1, sp, #SAVED
  mov w2, #\kind
  bl ada_record_detail
  EPILOGUE DETAIL_FRAME_BYTES
FUNC_END(ada_detail\name)
.endm

DETAIL_HOOK __ada_enter, x18, ADA_RECORD_CALL
DETAIL_HOOK __ada_exit, x18, ADA_RECORD_RETURN
DETAIL_HOOK __ada_enter_x15, x15, ADA_RECORD_CALL
DETAIL_HOOK __ada_exit_x15, x15, ADA_RECORD_RETURN

//===--- a stack of the runtime -------------------------------------------===//
// ada_run_on_stack(top, function, argument): calls function(argument) with its frames below `top`.
  .hidden ada_run_on_stack
FUNC_BEGIN(ada_run_on_stack)
  FRAME_RECORD 16
  mov sp, x0
  mov x0, x2
  blr x1
  mov sp, x29
  RETURN_FROM_FRAME 16
FUNC_END(ada_run_on_stack)

  STACK_IS_NOT_EXECUTABLE

// Without this note the linker would disable BTI and PAC for the whole program.
  .section .note.gnu.property, "a", %note
  .p2align 3
  .long 4, 16, 5                   // name size, descriptor size, NT_GNU_PROPERTY_TYPE_0
  .asciz "GNU"
  .long 0xc0000000, 4, 3, 0        // GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI | PAC
