; RUN: %opt_ada %s | FileCheck %s --check-prefix=%since19
; Entry and byte share their function's comdat, so that duplicates of inline functions go with the function.
target triple = "x86_64-unknown-linux-gnu"
; Before LLVM 19 by the group alone, or GNU as could not read what it writes.
; BEFORE19: @__ada_on.inline_one = private global i8 0, section "ada_enabled"{{.*}}, comdat($inline_one), align 1{{$}}
; BEFORE19: @__ada_fn.inline_one = private constant {{.*}}, comdat($inline_one), align 16{{$}}
; SINCE19: @__ada_on.inline_one = private global i8 0, section "ada_enabled"{{.*}}, comdat($inline_one), align 1, !associated
; SINCE19: @__ada_fn.inline_one = private constant {{.*}}, comdat($inline_one), align 16, !associated
$inline_one = comdat any
define linkonce_odr void @inline_one() comdat {
  ret void
}
