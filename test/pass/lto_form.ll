; RUN: %opt_ada %s | FileCheck %s
; clang marks modules for ThinLTO and LTO by a flag: their bodies will move, so entries have the early form.
target triple = "x86_64-unknown-linux-gnu"

; CHECK: @__ada_fn.f = linkonce_odr hidden constant {{.*}} i32 0, i32 0, i32 0, i32 0, i32 0, i32 0 }, section "ada_functions"
define void @f() {
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"EnableSplitLTOUnit", i32 0}
