; RUN: %opt_ada %s | FileCheck %s
; On AArch64, LLVM puts registers back from the wrong places if a function with preserve_all saves all of them, as it
; does when it calls a hook.
target triple = "aarch64-unknown-linux-gnu"
; CHECK-LABEL: define preserve_allcc void @all(
; CHECK-NEXT: ret void
define preserve_allcc void @all() {
  ret void
}
; CHECK-LABEL: define preserve_mostcc void @most(
; CHECK: __ada_enter
define preserve_mostcc void @most() {
  ret void
}
