; RUN: %opt_ada %s | FileCheck %s --check-prefixes=CHECK,X86,%since22
; RUN: sed s/x86_64-unknown/aarch64-unknown/ %s | %opt_ada - | FileCheck %s --check-prefixes=CHECK,ARM
; All that is in registers is forwarded, in order, so that it is in the same registers again; what is on the stack is passed over.
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i64, i64 }

; CHECK-LABEL: define void @many(
; X86: @__ada_enter(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f)
; ARM: call preserve_mostcc void {{.*}}(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h)
define void @many(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i) {
  ret void
}

; CHECK-LABEL: define void @doubles(
; CHECK: %ada.nest, double %a, double %b, double %c, double %d, double %e, double %f, double %g, double %h, i32 %x, i32 %y)
define void @doubles(double %a, double %b, double %c, double %d, double %e, double %f, double %g, double %h, i32 %x, double %i, i32 %y) {
  ret void
}

; CHECK-LABEL: define void @by_value(
; CHECK: %ada.nest, i32 %a, i32 %b)
define void @by_value(i32 %a, ptr byval(%pair) %p, i32 %b) {
  ret void
}

; CHECK-LABEL: define void @wide(
; X86: %ada.nest, i128 %a, i128 %b, i64 %c, i64 %d)
; ARM: %ada.nest, i128 %a, i128 %b, i64 %c, i64 %d, i128 %e)
define void @wide(i128 %a, i128 %b, i64 %c, i64 %d, i128 %e) {
  ret void
}

; What does not fit into AArch64's registers ends them. On x86-64 it depends: LLVM 14 uses the one that is left for a half, 19 leaves
; it unused, 22 gives it to the next argument.
; CHECK-LABEL: define void @wide_last(
; BEFORE22: %ada.nest, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e)
; SINCE22: %ada.nest, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %y)
; ARM: %ada.nest, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i128 %x)
define void @wide_last(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i128 %x, i64 %y) {
  ret void
}

; Not a type with a place that is known for sure: it is passed over, and takes no register of the hook's.
; CHECK-LABEL: define void @vectors(
; CHECK: %ada.nest, <4 x float> %a, <2 x double> %b, <2 x float> %c, i32 %e)
define void @vectors(<4 x float> %a, <2 x double> %b, <2 x float> %c, <3 x i8> %d, i32 %e) {
  ret void
}

; Registers of their own are passed over.
; CHECK-LABEL: define void @special(
; CHECK: %ada.nest, i64 %x)
define void @special(ptr nest %n, ptr swiftself %s, i64 %x) {
  ret void
}

; x8 on AArch64, the first argument on x86-64.
; CHECK-LABEL: define void @result(
; X86: @__ada_enter(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, ptr {{.*}}%r, i64 %x)
; ARM: call preserve_mostcc void {{.*}}(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, ptr {{.*}}sret(%pair) {{.*}}%r, i64 %x)
define void @result(ptr sret(%pair) %r, i64 %x) {
  ret void
}

; Only what is declared: the rest is where va_arg looks for it.
; CHECK-LABEL: define void @variadic(
; CHECK: %ada.nest, i32 %n)
define void @variadic(i32 %n, ...) {
  ret void
}

; A pointer is a number to the hook: no memory is kept alive or changed by it.
; CHECK-LABEL: define ptr @pointer(
; CHECK: call preserve_mostcc void {{.*}}(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, ptr {{(nocapture readnone|readnone captures\(none\))}} %p)
; CHECK: call preserve_mostcc void {{.*}}(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, ptr {{(nocapture readnone|readnone captures\(none\))}} %p)
define ptr @pointer(ptr %p) {
  ret ptr %p
}

; CHECK-LABEL: define { i64, double } @two_registers(
; CHECK: call preserve_mostcc void {{.*}}(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, { i64, double } %v)
define { i64, double } @two_registers({ i64, double } %v) {
  ret { i64, double } %v
}
