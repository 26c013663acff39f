; RUN: %opt_ada -ada-before-inlining %s | FileCheck %s
; Hooks that may be inlined elsewhere refer to hidden linkonce_odr entries in a comdat of their own, without address;
; those of functions with local linkage or a replaceable body are internal.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-DAG: $__ada_fn.inlined = comdat any
; CHECK-DAG: @__ada_on.inlined = linkonce_odr hidden global i8 0, section "ada_enabled"{{.*}}, comdat($__ada_fn.inlined), align 1{{$}}
; CHECK-DAG: @__ada_fn.inlined = linkonce_odr hidden constant {{.*}} i32 0, i32 0, i32 0, i32 trunc {{.*}} i32 4, i32 0, i32 0, i32 0, i32 0, i32 0 }, section "ada_functions"{{.*}}, comdat, align 16{{$}}
; CHECK-DAG: @__ada_fn.plain = linkonce_odr hidden constant {{.*}} section "ada_functions"{{.*}}, comdat, align 16{{$}}
; CHECK-DAG: @__ada_fn.local = internal constant {{.*}} i32 6, i32 0, i32 0, i32 0, i32 0, i32 0 }, section "ada_functions"{{.*}}, align 16{{$}}
; CHECK-DAG: @__ada_fn.replaceable = internal constant
; CHECK-DAG: @llvm.compiler.used = {{.*}}@__ada_on.inlined
; CHECK-NOT: alias

$inlined = comdat any
define linkonce_odr void @inlined() comdat {
  ret void
}
define void @plain() {
  call void @inlined()
  call void @local()
  ret void
}
define internal void @local() {
  ret void
}
define weak void @replaceable() {
  ret void
}
