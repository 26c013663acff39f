; RUN: %opt_ada %s | FileCheck %s
; Functions that are not to be optimized are traced.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: @__ada_enter
; CHECK: @__ada_exit
define void @f() noinline optnone {
  ret void
}
