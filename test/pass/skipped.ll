; RUN: sed s/ATTR_PRESPLIT/%presplit/ %s | %opt_ada -ada-why -o %t.ll 2> %t.why
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck %s --check-prefix=WHY < %t.why
; UNSUPPORTED: llvm-13
; What cannot be traced is left alone, and -ada-why says for each function why.
target triple = "x86_64-unknown-linux-gnu"

; WHY-DAG: AdaTrace: traced_one: traced{{$}}
; WHY-DAG: AdaTrace: declared: not traced: only declared in this translation unit
; WHY-DAG: AdaTrace: bare: not traced: naked
; WHY-DAG: AdaTrace: elsewhere: not traced: a copy for inlining only
; WHY-DAG: AdaTrace: resolver: not traced: an ifunc resolver
; WHY-DAG: AdaTrace: haskell: not traced: its calling convention
; WHY-DAG: AdaTrace: interrupt: not traced: an interrupt handler
; WHY-DAG: AdaTrace: unsanitized: not traced: declared disable_sanitizer_instrumentation
; WHY-DAG: AdaTrace: coroutine: not traced: a coroutine that will be split at link time
; WHY-NOT: __ada_mine

; CHECK-LABEL: define void @traced_one(
; CHECK: @__ada_enter
define void @traced_one() {
  ret void
}

declare void @declared()

; CHECK-LABEL: define void @bare(
; CHECK-NOT: __ada
; CHECK: unreachable
define void @bare() naked {
  call void asm sideeffect "ret", ""()
  unreachable
}

; CHECK-LABEL: define available_externally i32 @elsewhere(
; CHECK-NEXT: ret
define available_externally i32 @elsewhere() {
  ret i32 1
}

@chosen = ifunc void (), ptr @resolver
; CHECK-LABEL: define internal ptr @resolver(
; CHECK-NEXT: ret
define internal ptr @resolver() {
  ret ptr @traced_one
}

; CHECK-LABEL: define ghccc void @haskell(
; CHECK-NEXT: ret
define ghccc void @haskell() {
  ret void
}

; CHECK-LABEL: define x86_intrcc void @interrupt(
; CHECK-NEXT: ret
define x86_intrcc void @interrupt(ptr byval(i64) %frame) {
  ret void
}

; CHECK-LABEL: define void @unsanitized(
; CHECK-NEXT: ret
define void @unsanitized() disable_sanitizer_instrumentation {
  ret void
}

; CHECK-LABEL: define void @__ada_mine(
; CHECK-NEXT: ret
define void @__ada_mine() {
  ret void
}

; CHECK-LABEL: define void @coroutine(
; CHECK-NEXT: ret
define void @coroutine() ATTR_PRESPLIT {
  ret void
}
