; RUN: %opt_ada %s -o %t.once.ll
; RUN: %opt_ada %t.once.ll -o %t.twice.ll
; RUN: diff <(sed 's,; preds.*,,; /^; ModuleID/d' %t.once.ll) <(sed 's,; preds.*,,; /^; ModuleID/d' %t.twice.ll)
; RUN: FileCheck %s < %t.twice.ll
; Running twice adds nothing, neither hooks nor announcements of exec.
target triple = "x86_64-unknown-linux-gnu"

declare i32 @execv(ptr, ptr)
declare void @_exit(i32)

; CHECK-LABEL: define void @f(
; CHECK-COUNT-1: @__ada_enter
; CHECK: @__ada_before_exec
; CHECK-NEXT: call i32 @execv
; CHECK-NEXT: call void @__ada_after_exec()
; CHECK-NEXT: call void @__ada_before_exit(i32 3)
; CHECK-NEXT: call void @_exit(i32 3)
define void @f(ptr %path, ptr %args) nounwind {
  call i32 @execv(ptr %path, ptr %args) nounwind
  call void @_exit(i32 3) nounwind
  ret void
}
