; RUN: %opt_ada -ada-cheap-off %s | FileCheck %s
; RUN: %opt_ada -ada-cheap-off %s -o - | %llc -relocation-model=pic -o - | FileCheck %s --check-prefix=ASM
; RUN: %opt_ada -ada-cheap-off %s | FileCheck %s --check-prefix=COPIES
; RUN: %opt_ada -ada-cheap-off -ada-before-inlining %s | FileCheck %s --check-prefix=EARLY
; UNSUPPORTED: llvm-13
; LLVM 13 cannot read opaque pointers that it wrote.
; Each function has no hooks, and hands its calls to a copy that has them while its byte is not 0.
target triple = "x86_64-unknown-linux-gnu"

; Copies come last. What can't be there twice, or be handed over, has its hooks in its only body.
; COPIES: define internal signext i8 @f.recorded(
; COPIES: define internal void @merged.recorded() {{.*}}comdat($merged)
; COPIES: define internal void @numbered_label.recorded()
; COPIES-NOT: .recorded(
; EARLY-NOT: .recorded

$merged = comdat any

declare void @callee()

; The test is all that is added to the function.
define signext i8 @f(i8 signext %x, ptr %to) {
; CHECK-LABEL: define signext i8 @f(
; CHECK-NOT:     alloca
; CHECK:         load volatile i8, ptr @__ada_on.f
; CHECK:         br i1 {{.*}}, !prof
; CHECK:         [[R:%.*]] = musttail call signext i8 @f.recorded(i8 signext %x, ptr %to)
; CHECK-NEXT:    ret i8 [[R]]
; CHECK-NOT:     __ada_
; ASM-LABEL: f:
; ASM-NOT: push
; ASM:     cmpb $0, .L__ada_on.f(%rip)
; ASM-NEXT: jne
; ASM:     jmp f.recorded
  %r = add i8 %x, 1
  ret i8 %r
}

; A copy is in the group of its function.
define linkonce_odr void @merged() comdat {
; CHECK-LABEL: define linkonce_odr void @merged(
; CHECK:         musttail call void @merged.recorded()
  call void @callee()
  ret void
}

define void @variadic(...) {
; CHECK-LABEL: define void @variadic(
; CHECK:         __ada_enter
  ret void
}

define void @by_value(ptr byval([64 x i8]) %x) {
; CHECK-LABEL: define void @by_value(
; CHECK:         __ada_enter
  ret void
}

@labels = constant [2 x ptr] [ptr blockaddress(@computed, %a), ptr blockaddress(@computed, %b)]
define i32 @computed(i64 %n) {
; CHECK-LABEL: define i32 @computed(
; CHECK:         __ada_enter
  %at = getelementptr ptr, ptr @labels, i64 %n
  %label = load ptr, ptr %at
  indirectbr ptr %label, [label %a, label %b]
a:
  ret i32 1
b:
  ret i32 2
}

define void @assembly() {
; CHECK-LABEL: define void @assembly(
; CHECK:         __ada_enter
  call void asm sideeffect "a_symbol: nop", ""()
  ret void
}

define void @assembly_for_each_copy() {
; CHECK-LABEL: define void @assembly_for_each_copy(
; CHECK:         __ada_enter
  call void asm sideeffect ".Llabel${:uid}: nop", ""()
  ret void
}

define void @not_optimized() noinline optnone {
; CHECK-LABEL: define void @not_optimized(
; CHECK:         __ada_enter
  ret void
}

define void @numbered_label() {
; CHECK-LABEL: define void @numbered_label(
; CHECK:         musttail call
  call void asm sideeffect "1: nop", ""()
  ret void
}

declare i32 @_setjmp(ptr) returns_twice
define i32 @twice(ptr %buffer) {
; CHECK-LABEL: define i32 @twice(
; CHECK:         __ada_enter
  %r = call i32 @_setjmp(ptr %buffer)
  ret i32 %r
}

; In a copy, nothing depends on the byte any more but whether there is detail.
; CHECK-LABEL: define internal signext i8 @f.recorded(
; CHECK:         load volatile i8, ptr @__ada_on.f
; CHECK:         or i64 {{.*}}, 1
; CHECK-NOT:     br
; CHECK:         call {{.*}}@__ada_enter
; CHECK-NOT:     br
; CHECK:         call {{.*}}@__ada_exit
; CHECK:         ret i8
