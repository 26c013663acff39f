; RUN: %opt_ada %s | FileCheck %s --check-prefix=LLVM%llvm_version
; Entry and byte share their function's comdat, so that duplicates of inline functions go with the function.
target triple = "x86_64-unknown-linux-gnu"
; With LLVM 14 by the group alone, or GNU as could not read what it writes.
; LLVM14: @__ada_on.inline_one = private global i8 0, section "ada_enabled"{{.*}}, comdat($inline_one), align 1{{$}}
; LLVM14: @__ada_fn.inline_one = private constant {{.*}}, comdat($inline_one), align 16{{$}}
; LLVM19: @__ada_on.inline_one = private global i8 0, section "ada_enabled"{{.*}}, comdat($inline_one), align 1, !associated
; LLVM19: @__ada_fn.inline_one = private constant {{.*}}, comdat($inline_one), align 16, !associated
; LLVM22: @__ada_on.inline_one = private global i8 0, section "ada_enabled"{{.*}}, comdat($inline_one), align 1, !associated
; LLVM22: @__ada_fn.inline_one = private constant {{.*}}, comdat($inline_one), align 16, !associated
$inline_one = comdat any
define linkonce_odr void @inline_one() comdat {
  ret void
}
