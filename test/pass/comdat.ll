; RUN: %opt_ada %s | FileCheck %s
; Entry and byte share their function's comdat, so that duplicates of inline functions go with the function.
target triple = "x86_64-unknown-linux-gnu"
; CHECK: @__ada_on.inline_one = private global i8 0, section "ada_enabled"{{.*}}, comdat($inline_one), align 1
; CHECK: @__ada_fn.inline_one = private constant {{.*}}, comdat($inline_one), align 16
$inline_one = comdat any
define linkonce_odr void @inline_one() comdat {
  ret void
}
