; RUN: %opt_ada -ada-min-size=4 %s | FileCheck %s
; RUN: %opt_ada %s | FileCheck %s --check-prefix=ALL
; Small functions are left out on request, except those with a loop. By default all are traced.
target triple = "x86_64-unknown-linux-gnu"
; CHECK-LABEL: define i32 @small(
; CHECK-NOT: @__ada_enter
; CHECK: ret
; ALL-LABEL: define i32 @small(
; ALL: @__ada_enter
define i32 @small(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
; CHECK-LABEL: define i32 @large(
; CHECK: @__ada_enter
define i32 @large(i32 %x) {
  %y = add i32 %x, 1
  %z = mul i32 %y, %x
  %w = xor i32 %z, %x
  ret i32 %w
}
; CHECK-LABEL: define void @loop(
; CHECK: @__ada_enter
define void @loop() {
  br label %again
again:
  br label %again
}
