; RUN: %opt_ada %s | FileCheck %s
; A noreturn function is flagged (flags = 1); the end of its body is not an exit.
target triple = "x86_64-unknown-linux-gnu"

; CHECK: @__ada_fn.die = {{.*}} i32 1, i32 0, i32 0, i32 0, i32 0, i32 0 }, section "ada_functions"
; CHECK: @__ada_fn.hidden = {{.*}} i32 2, i32 0, i32 0, i32 0, i32 0, i32 0 }, section "ada_functions"

declare void @abort() noreturn nounwind
define void @die() noreturn nounwind {
; CHECK-LABEL: define void @die(
; CHECK: __ada_enter
; CHECK-NOT: __ada_exit
; CHECK: unreachable
  call void @abort()
  unreachable
}

define internal void @hidden() nounwind {
  ret void
}

define void @use() nounwind {
  call void @hidden()
  ret void
}
