; RUN: %opt_ada %s | FileCheck %s
; Before a function first calls something that returns twice, its frame is marked; after each such return, the calls above
; it are gone. Both only if the call is recorded.
target triple = "x86_64-unknown-linux-gnu"

declare i32 @_setjmp(ptr) returns_twice nounwind
declare i32 @vfork()
declare i32 @plain_name(ptr) nounwind
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define i32 @f(
; CHECK:       call preserve_mostcc void @__ada_enter(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, ptr
; CHECK:       [[FRAME:%.*]] = call ptr @llvm.frameaddress.p0(i32 0)
; CHECK-NEXT:  call void @__ada_mark_frame(ptr [[FRAME]])
; CHECK:       %r = call i32 @_setjmp(ptr %p)
; CHECK-NEXT:  trunc i64 %{{.*}} to i8
; CHECK-NEXT:  icmp ne i8 %{{.*}}, 0
; CHECK-NEXT:  br
; CHECK:       [[FRAME2:%.*]] = call ptr @llvm.frameaddress.p0(i32 0)
; CHECK-NEXT:  call void @__ada_resync(ptr [[FRAME2]])
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

; CHECK-LABEL: define i32 @h(
; CHECK-NOT:   @__ada_mark_frame
; CHECK:       ret i32
define i32 @h(ptr %p) nounwind {
  %r = call i32 @plain_name(ptr %p)
  ret i32 %r
}
