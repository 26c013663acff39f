; RUN: %opt_ada %s | FileCheck %s --implicit-check-not=associated
; Entry and byte share their function's comdat, so that duplicates of inline functions go with the function. Any other
; function's are in a group of their own, which is never merged with another. None is tied to a section: mold keeps
; sections of one name apart if one of them is tied and the other is not.
target triple = "x86_64-unknown-linux-gnu"
; CHECK-DAG: $__ada_fn.taken = comdat nod{{eduplicate|uplicates}}
; CHECK-DAG: $alone = comdat nod{{eduplicate|uplicates}}
; CHECK-DAG: $inline_one = comdat any
; CHECK-DAG: $taken = comdat any
; CHECK-DAG: @__ada_on.inline_one = private global i8 0, section "ada_enabled"{{.*}}, comdat($inline_one), align 1{{$}}
; CHECK-DAG: @__ada_fn.inline_one = private constant {{.*}}, comdat($inline_one), align 16{{$}}
; CHECK-DAG: @__ada_on.alone = private global i8 0, section "ada_enabled"{{.*}}, comdat($alone), align 1{{$}}
; CHECK-DAG: @__ada_fn.alone = private constant {{.*}}, comdat($alone), align 16{{$}}
; CHECK-DAG: @__ada_on.taken = private global i8 0, section "ada_enabled"{{.*}}, comdat($__ada_fn.taken), align 1{{$}}
; CHECK-DAG: @__ada_fn.taken = private constant {{.*}}, comdat, align 16{{$}}
$inline_one = comdat any
$taken = comdat any
@other = global i32 0, comdat($taken)
define linkonce_odr void @inline_one() comdat {
  ret void
}
define void @alone() {
  ret void
}
define void @taken() {
  ret void
}
