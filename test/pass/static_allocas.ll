; RUN: %opt_ada %s | FileCheck %s
; Static allocas stay in the entry block, before the hook: behind the branch they would be dynamic.
target triple = "x86_64-unknown-linux-gnu"
declare void @use(ptr, ptr, ptr) nounwind

define void @f(i64 %n) nounwind {
; CHECK-LABEL: define void @f(
; CHECK-NEXT:    %ada.frame = alloca
; CHECK-NEXT:    %a = alloca i32
; CHECK-NEXT:    %b = alloca [4 x i64]
; CHECK-NEXT:    load volatile i8
; CHECK:         @__ada_enter
; CHECK:         store i32 1, ptr %a
; CHECK:         %dynamic = alloca i8, i64 %n
  %a = alloca i32
  store i32 1, ptr %a
  %b = alloca [4 x i64]
  %dynamic = alloca i8, i64 %n
  call void @use(ptr %a, ptr %b, ptr %dynamic)
  ret void
}
