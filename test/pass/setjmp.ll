; RUN: %opt_ada -ada-exclude=excluded %s | FileCheck %s
; Before a function first calls something that returns twice, its frame is marked, if its call is recorded. After each such
; return, the calls above it are gone: always after a jump, which setjmp reports; of vfork, if the call is recorded.
target triple = "x86_64-unknown-linux-gnu"

declare i32 @_setjmp(ptr) returns_twice nounwind
declare i32 @vfork()
declare i32 @plain_name(ptr) nounwind
declare i32 @llvm.eh.sjlj.setjmp(ptr)
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define i32 @f(
; CHECK:       call preserve_mostcc void @__ada_enter(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, ptr
; CHECK:       [[FRAME:%.*]] = call ptr @llvm.frameaddress.p0(i32 0)
; CHECK-NEXT:  call void @__ada_mark_frame(ptr [[FRAME]])
; CHECK:       [[TOKEN:%.*]] = call ptr @__ada_fiber_current()
; CHECK-NEXT:  %r = call i32 @_setjmp(ptr %p)
; CHECK-NEXT:  [[JUMPED:%.*]] = icmp ne i32 %r, 0
; CHECK-NEXT:  br i1 [[JUMPED]]
; CHECK:       call void @__ada_fiber_land(ptr [[TOKEN]])
; CHECK-NEXT:  [[FRAME2:%.*]] = call ptr @llvm.frameaddress.p0(i32 0)
; CHECK-NEXT:  call void @__ada_landed(ptr [[FRAME2]], i64 [[ON:%.*]])
; CHECK:       ret i32 %r
define i32 @f(ptr %p) nounwind {
  %r = call i32 @_setjmp(ptr %p) returns_twice
  ret i32 %r
}

; By name, where the front end has no attribute for it; as an invoke; in a block with other predecessors.
; CHECK-LABEL: define i32 @g(
; CHECK:       @__ada_mark_frame
; CHECK:       %pid = invoke i32 @vfork()
; CHECK-NEXT:  to label %[[AFTER:.*]] unwind
; CHECK:       [[AFTER]]:
; CHECK-NEXT:  trunc i64 %{{.*}} to i8
; CHECK-NEXT:  icmp ne i8 %{{.*}}, 0
; CHECK:       @__ada_resync
; CHECK:       phi i32
; CHECK:       ret i32
define i32 @g(i1 %c) personality ptr @__gxx_personality_v0 {
  br i1 %c, label %fork, label %done
fork:
  %pid = invoke i32 @vfork() to label %done unwind label %pad
done:
  %r = phi i32 [ %pid, %fork ], [ 0, %0 ]
  ret i32 %r
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  ret i32 -1
}

; One that nothing but its attribute says: it may return 0 after a jump.
; CHECK-LABEL: define i32 @other(
; CHECK:       [[TOKEN:%.*]] = call ptr @__ada_fiber_current()
; CHECK-NEXT:  %r = call i32 @plain_name(ptr %p)
; CHECK-NEXT:  call void @__ada_fiber_land(ptr [[TOKEN]])
; CHECK:       call void @__ada_landed(
; CHECK:       ret i32 %r
define i32 @other(ptr %p) nounwind {
  %r = call i32 @plain_name(ptr %p) returns_twice
  ret i32 %r
}

; LLVM's own, in a function that is not traced.
; CHECK-LABEL: define i32 @excluded(
; CHECK-NOT:   @__ada_mark_frame
; CHECK:       [[TOKEN:%.*]] = call ptr @__ada_fiber_current()
; CHECK-NEXT:  %r = call i32 @llvm.eh.sjlj.setjmp(ptr %p)
; CHECK:       call void @__ada_fiber_land(ptr [[TOKEN]])
; CHECK:       call void @__ada_landed(ptr {{.*}}, i64 0)
; CHECK:       ret i32 %r
define i32 @excluded(ptr %p) nounwind {
  %r = call i32 @llvm.eh.sjlj.setjmp(ptr %p)
  ret i32 %r
}

; CHECK-LABEL: define i32 @h(
; CHECK-NOT:   @__ada_mark_frame
; CHECK:       ret i32
define i32 @h(ptr %p) nounwind {
  %r = call i32 @plain_name(ptr %p)
  ret i32 %r
}
