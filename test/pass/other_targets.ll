; RUN: %opt_ada %s 2>&1 | FileCheck %s
; For targets without hooks: a warning, and the code as it was.
target triple = "riscv64-unknown-linux-gnu"
; CHECK: warning: AdaTrace: nothing is traced: hooks exist for x86_64 and aarch64 ELF, not for riscv64-unknown-linux-gnu
; CHECK-LABEL: define void @f(
; CHECK-NEXT: ret void
define void @f() {
  ret void
}
