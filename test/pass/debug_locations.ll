; RUN: %opt_ada %s | FileCheck %s
; RUN: %opt_ada %s | %opt_ada -verify-each -o /dev/null
; Inserted code carries lines: the opening brace's on entry, the return's on exit; the entry has file, line and signature.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-DAG: c"/src/dir/file.c\00"
; CHECK-DAG: c"int (const char *, long[4] *, ...)\00"
; CHECK-DAG: @__ada_fn.f = {{.*}} i32 7, i32 trunc

define i32 @f(ptr %s, ptr %t, ...) !dbg !4 {
; CHECK-LABEL: define i32 @f(
; CHECK:  load volatile i8, {{.*}}!dbg ![[OPEN:[0-9]+]]
; CHECK:  br i1 {{.*}}!dbg ![[OPEN]]
; CHECK:  @__ada_enter({{.*}}!dbg ![[OPEN]]
; CHECK:  @__ada_exit({{.*}}!dbg ![[CLOSE:[0-9]+]]
; CHECK:  ret i32 0, !dbg ![[CLOSE]]
; CHECK-DAG: ![[OPEN]] = !DILocation(line: 8, scope
; CHECK-DAG: ![[CLOSE]] = !DILocation(line: 10, column: 3
  ret i32 0, !dbg !12
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "../dir/./file.c", directory: "/src/build")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 7, type: !5, scopeLine: 8, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{!7, !8, !13, null}
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !9, size: 64)
!9 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !10)
!10 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!12 = !DILocation(line: 10, column: 3, scope: !4)
!13 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !14, size: 64)
!14 = !DICompositeType(tag: DW_TAG_array_type, baseType: !15, size: 256, elements: !16)
!15 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!16 = !{!17}
!17 = !DISubrange(count: 4)
