; RUN: %opt_ada %s | FileCheck %s
; RUN: %opt_ada %s -o - | %llc -relocation-model=pic -o - | FileCheck %s --check-prefix=ASM
; UNSUPPORTED: llvm-13
; LLVM 13 cannot read opaque pointers that it wrote.
; The exit hook of a function that ends in a musttail call comes before the call, and the call stays one.
target triple = "x86_64-unknown-linux-gnu"

declare i32 @next(i32)

define i32 @f(i32 %x) {
; CHECK-LABEL: define i32 @f(
; CHECK:         call preserve_mostcc void @__ada_exit(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}})
; CHECK-NEXT:    br
; CHECK:         %r = musttail call i32 @next(i32 %x)
; CHECK-NEXT:    ret i32 %r
; ASM-LABEL: f:
; ASM: jmp next
  %r = musttail call i32 @next(i32 %x)
  ret i32 %r
}

; All arguments, the unnamed ones too, are still there after the entry hook.
declare i32 @variadic(i32, ...)
define i32 @thunk(i32 %x, ...) {
; CHECK-LABEL: define i32 @thunk(
; CHECK:         call preserve_mostcc void @__ada_enter(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, i32 %x)
; CHECK:         musttail call i32 (i32, ...) @variadic(i32 %x, ...)
; ASM-LABEL: thunk:
; ASM: jmp variadic
  %r = musttail call i32 (i32, ...) @variadic(i32 %x, ...)
  ret i32 %r
}
