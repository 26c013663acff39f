; RUN: %opt_ada %s | FileCheck %s --check-prefixes=CHECK,%since19
; In the large model, what an entry refers to stays within its reach: texts are marked as small. Functions are not, and where
; they may be far away, the entry has no address. Before LLVM 18 there are no sections for large data or code.
target triple = "x86_64-unknown-linux-gnu"
; CHECK-DAG: @__ada_on.f = private global i8 0, section "ada_enabled"{{.*}}, comdat($f)
; SINCE19-DAG: @__ada_text = private unnamed_addr constant [2 x i8] c"f\00", {{.*}}code_model "small"
; SINCE19-DAG: @__ada_fn.f = private constant { {{.*}} } { i32 {{.*}}, i32 7, i32 0, i32 trunc {{.*}}code_model "small"
; BEFORE19-DAG: @__ada_at.f = private alias
; SINCE19-NOT: alias
define void @f() !dbg !3 {
  ret void
}
!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}
!0 = !{i32 1, !"Code Model", i32 4}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !4, emissionKind: FullDebug)
!3 = distinct !DISubprogram(name: "f", file: !4, line: 7, type: !5, unit: !2, spFlags: DISPFlagDefinition)
!4 = !DIFile(filename: "f.c", directory: "/")
!5 = !DISubroutineType(types: !6)
!6 = !{null}
