; RUN: %opt_ada %s | FileCheck %s
; A function gets an entry, a byte, and hooks on entry and return that one load of the byte decides. They are told of the activation's
; frame, and of the byte.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-DAG: $__ada_image = comdat any
; CHECK-DAG: @__ada_on.add = private global i8 0, section "ada_enabled"{{.*}}, comdat($add), align 1
; CHECK-DAG: @__ada_fn.add = private constant { i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32 } {{.*}}, section "ada_functions"{{.*}}, comdat($add), align 16
; CHECK-DAG: @__ada_text = private unnamed_addr constant [4 x i8] c"add\00"
; CHECK-DAG: @__start_ada_functions = extern_weak hidden global i8
; CHECK-DAG: @__ada_image = linkonce_odr hidden constant { i32, i32, ptr, ptr, ptr, ptr } { i32 3, i32 48, {{.*}}, comdat
; CHECK-DAG: @llvm.global_ctors = appending global {{.*}} { i32 0, ptr @__ada_image_ctor, ptr @__ada_image }
; CHECK-DAG: @llvm.global_dtors = appending global {{.*}} { i32 0, ptr @__ada_image_dtor, ptr @__ada_image }
; CHECK-DAG: @__ada_at.add = private alias i32 (i32, i8), ptr @add
; CHECK-DAG: @llvm.compiler.used = appending global {{.*}}@__ada_on.add{{.*}}@__ada_fn.add

define signext i32 @add(i32 signext %a, i8 zeroext %b) {
; CHECK-LABEL: define signext i32 @add(
; CHECK-NEXT:    %ada.frame = alloca [4 x i64], align 16
; CHECK-NEXT:    %ada.on = load volatile i8, ptr @__ada_on.add, align 1
; CHECK-NEXT:    [[WIDE:%.*]] = zext i8 %ada.on to i64
; CHECK-NEXT:    [[ON:%.*]] = trunc i64 [[WIDE]] to i8
; CHECK-NEXT:    [[IS:%.*]] = icmp ne i8 [[ON]], 0
; CHECK-NEXT:    br i1 [[IS]], label %{{.*}}, label %{{.*}}, !prof ![[SELDOM:[0-9]+]]
; CHECK:         [[FUNCTION:%.*]] = getelementptr inbounds i8, ptr %ada.frame, i64 0
; CHECK-NEXT:    store ptr @__ada_fn.add, ptr [[FUNCTION]], align 1
; CHECK-NEXT:    [[AT:%.*]] = call ptr @llvm.addressofreturnaddress.p0()
; CHECK-NEXT:    [[SP:%.*]] = getelementptr inbounds i8, ptr %ada.frame, i64 8
; CHECK-NEXT:    store ptr [[AT]], ptr [[SP]], align 1
; CHECK-NEXT:    %ada.nest = getelementptr i8, ptr %ada.frame, i64 [[WIDE]]
; CHECK-NEXT:    call preserve_mostcc void @__ada_enter(ptr {{(nocapture nest|nest nocapture|nest captures\(none\))}} %ada.nest, i32 signext %a, i8 zeroext %b)
; CHECK:         %sum = add
; CHECK-NEXT:    [[ON:%.*]] = trunc i64 [[WIDE]] to i8
; CHECK-NEXT:    icmp ne i8 [[ON]], 0
; CHECK-NEXT:    br i1 {{.*}}, !prof ![[SELDOM]]
; CHECK:         [[NEST:%.*]] = getelementptr i8, ptr %ada.frame, i64 [[WIDE]]
; CHECK-NEXT:    call preserve_mostcc void @__ada_exit(ptr {{.*}} [[NEST]], i32 signext %sum)
; CHECK:         ret i32 %sum
  %wide = zext i8 %b to i32
  %sum = add i32 %a, %wide
  ret i32 %sum
}

define void @none() {
; CHECK-LABEL: define void @none(
; CHECK:         call preserve_mostcc void @__ada_enter(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}})
; CHECK:         call preserve_mostcc void @__ada_exit(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}})
; CHECK:         ret void
  ret void
}

define i32 @two_returns(i1 %c) {
; CHECK-LABEL: define i32 @two_returns(
; CHECK-COUNT-2: call preserve_mostcc void @__ada_exit(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, i32
  br i1 %c, label %one, label %two
one:
  ret i32 1
two:
  ret i32 2
}

; CHECK: declare preserve_mostcc void @__ada_enter(ptr nest) [[HOOK:#[0-9]+]]
; CHECK: define linkonce_odr hidden void @__ada_image_ctor() {{.*}}comdat($__ada_image)
; CHECK: call void @__ada_runtime_is_missing_link_with_ada_clang_or_with_adatrace_flags()
; CHECK: call void @__ada_register_image(ptr @__ada_image)
; CHECK: define linkonce_odr hidden void @__ada_image_dtor() {{.*}}comdat($__ada_image)
; CHECK: call void @__ada_unregister_image(ptr @__ada_image)
; CHECK: attributes [[HOOK]] = { {{.*}}nonlazybind
; CHECK: ![[SELDOM]] = !{!"branch_weights", i32 1, i32 1048575}
