; RUN: %opt_ada -ada-exclude=excluded %s | FileCheck %s
; RUN: %opt_ada %s | %opt_ada | FileCheck %s --check-prefix=TWICE
; Calls that go to another stack are followed, in functions that are not traced as well: the token is made before the call, and
; comes back right behind each of its returns, before what was left on it is closed.
target triple = "x86_64-unknown-linux-gnu"

declare i32 @swapcontext(ptr, ptr)
declare i32 @setcontext(ptr)
declare i32 @getcontext(ptr) returns_twice
declare void @makecontext(ptr, ptr, i32, ...)
declare i32 @sigaltstack(ptr, ptr)

; CHECK-LABEL: define i32 @f(
; CHECK:       [[T:%.*]] = call ptr @__ada_fiber_leave()
; CHECK-NEXT:  {{(%.* =|invoke|call)}} {{.*}}@swapcontext(
; CHECK:       call void @__ada_fiber_resume(ptr [[T]])
; CHECK:       [[U:%.*]] = call ptr @__ada_fiber_current()
; CHECK-NEXT:  {{.*}}@getcontext(
; CHECK:       call void @__ada_fiber_resume(ptr [[U]])
; CHECK:       @__ada_landed(
; CHECK:       call void @__ada_fiber_make(ptr %a)
; CHECK-NEXT:  {{.*}}@makecontext(
; TWICE-LABEL: define i32 @f(
; TWICE-COUNT-1: @__ada_fiber_leave()
; TWICE-NOT:   @__ada_fiber_leave()
; TWICE:       define i32 @excluded(
define i32 @f(ptr %a, ptr %b) nounwind {
  %r = call i32 @swapcontext(ptr %a, ptr %b)
  %s = call i32 @getcontext(ptr %a)
  call void (ptr, ptr, i32, ...) @makecontext(ptr %a, ptr @f, i32 0)
  ret i32 %r
}

; CHECK-LABEL: define i32 @excluded(
; CHECK-NEXT:  [[T:%.*]] = call ptr @__ada_fiber_leave()
; CHECK-NEXT:  %r = call i32 @setcontext(
; CHECK-NEXT:  call void @__ada_fiber_resume(ptr [[T]])
; CHECK-NEXT:  ret
define i32 @excluded(ptr %a) nounwind {
  %r = call i32 @setcontext(ptr %a)
  ret i32 %r
}

; CHECK-LABEL: define i32 @signals(
; CHECK:       call void @__ada_before_signal_stack()
; CHECK-NEXT:  {{.*}}@sigaltstack(
; CHECK:       call void @__ada_after_signal_stack()
; CHECK:       ret
define i32 @signals(ptr %a) nounwind {
  %r = tail call i32 @sigaltstack(ptr %a, ptr null)
  ret i32 %r
}
