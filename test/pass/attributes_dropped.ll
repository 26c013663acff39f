; RUN: %opt_ada %s | FileCheck %s
; Attributes that a hook makes untrue are removed, for the function reads and writes memory now; the others stay.
target triple = "x86_64-unknown-linux-gnu"

; CHECK: define i32 @pure(i32 %x) [[LEFT:#[0-9]+]]
define i32 @pure(i32 %x) readnone nosync nofree speculatable norecurse willreturn nounwind {
  ret i32 %x
}
; CHECK: define i32 @reads(ptr %x) [[LEFT2:#[0-9]+]]
define i32 @reads(ptr %x) argmemonly readonly nosync nounwind {
  %v = load i32, ptr %x
  ret i32 %v
}
; CHECK: attributes [[LEFT]] = { norecurse nounwind willreturn "ada-instrumented" }
; CHECK: attributes [[LEFT2]] = { nounwind "ada-instrumented" }
