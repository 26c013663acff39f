; RUN: %opt_ada %s | FileCheck %s
; RUN: %opt_ada -ada-unwind=0 %s | FileCheck %s --check-prefix=OFF
; Every way to leave a function by an exception passes one hook.
target triple = "x86_64-unknown-linux-gnu"

declare void @may()
declare void @never() nounwind
declare i32 @__gxx_personality_v0(...)
@_ZTIi = external constant ptr

; OFF-NOT: @__ada_unwind

; A call outside any invoke gets a cleanup pad.
define void @bare() uwtable {
; CHECK-LABEL: define void @bare(
; CHECK-SAME: personality ptr @__gxx_personality_v0
; CHECK:       invoke void @may()
; CHECK-NEXT:    to label %{{.*}} unwind label %[[PAD:.*]]
; CHECK:       call void @never()
; CHECK:       [[PAD]]:
; CHECK-NEXT:    landingpad { ptr, i32 }
; CHECK-NEXT:    cleanup
; CHECK:       call preserve_mostcc void @__ada_unwind(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}})
; CHECK:       resume
  call void @may()
  call void @never()
  ret void
}

; A resume of the function's own gets the hook in front of it.
define void @own_cleanup() uwtable personality ptr @__gxx_personality_v0 {
; CHECK-LABEL: define void @own_cleanup(
; CHECK:       landingpad
; CHECK-NEXT:    cleanup
; CHECK-NEXT:  call void @never()
; CHECK:       call preserve_mostcc void @__ada_unwind(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}})
; CHECK:       resume
; CHECK-NOT:   landingpad
  invoke void @may() to label %done unwind label %pad
done:
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  call void @never()
  resume { ptr, i32 } %e
}

; A pad for some types is passed by exceptions of others, so it becomes a cleanup; selector 0 means that it is one.
define void @catches_int() uwtable personality ptr @__gxx_personality_v0 {
; CHECK-LABEL: define void @catches_int(
; CHECK:       %e = landingpad { ptr, i32 }
; CHECK-NEXT:    cleanup
; CHECK-NEXT:    catch ptr @_ZTIi
; CHECK-NEXT:  [[SELECTOR:%.*]] = extractvalue { ptr, i32 } %e, 1
; CHECK-NEXT:  [[PASSES:%.*]] = icmp eq i32 [[SELECTOR]], 0
; CHECK-NEXT:  br i1 [[PASSES]]
; CHECK:       call preserve_mostcc void @__ada_unwind(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}})
; CHECK:       resume { ptr, i32 } %e
; CHECK:       call void @never()
  invoke void @may() to label %done unwind label %pad
done:
  ret void
pad:
  %e = landingpad { ptr, i32 } catch ptr @_ZTIi
  call void @never()
  ret void
}

; Nothing gets past a pad that catches everything.
define void @catches_all() uwtable personality ptr @__gxx_personality_v0 {
; CHECK-LABEL: define void @catches_all(
; CHECK-NOT:   @__ada_unwind
; CHECK:       catch ptr null
; CHECK-NEXT:  call void @never()
; CHECK-NOT:   @__ada_unwind
; CHECK-LABEL: define void @nothing_thrown(
  invoke void @may() to label %done unwind label %pad
done:
  ret void
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  call void @never()
  ret void
}

define void @nothing_thrown() uwtable nounwind {
; CHECK-NOT: landingpad
; CHECK: call void @never()
; CHECK-NOT: landingpad
; CHECK: ret void
  call void @never()
  ret void
}

; Inline assembly and intrinsics do not throw.
define void @no_calls(ptr %p) uwtable {
; CHECK-LABEL: define void @no_calls(
; CHECK-NOT: invoke
; CHECK: ret void
  call void asm sideeffect "", ""()
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 8, i1 false)
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
