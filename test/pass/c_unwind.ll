; RUN: %opt_ada %s | FileCheck %s
; In a module without exceptions (C), nounwind is what clang says of everything: functions with unwind tables that call
; something which is not declared nothrow are left by pthread_exit and foreign exceptions all the same.
target triple = "x86_64-unknown-linux-gnu"

declare void @pthread_exit(ptr)
declare void @nothrow() nounwind

; CHECK-LABEL: define void @leaves(ptr %p)
; CHECK-SAME:  [[UNWINDS:#[0-9]+]] personality ptr @__gcc_personality_v0
; CHECK:       invoke void @pthread_exit(ptr %p)
; CHECK:       @__ada_unwind(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}})
define void @leaves(ptr %p) nounwind uwtable {
  call void @pthread_exit(ptr %p) nounwind
  ret void
}

; By way of a function of the module.
; CHECK-LABEL: define void @calls_leaves(ptr %p)
; CHECK-SAME:  [[UNWINDS]] personality ptr @__gcc_personality_v0
; CHECK:       invoke void @leaves(ptr %p)
define void @calls_leaves(ptr %p) nounwind uwtable {
  call void @leaves(ptr %p) nounwind
  ret void
}

; CHECK-LABEL: define void @stays()
; CHECK-NOT:   personality
; CHECK:       call void @nothrow()
define void @stays() nounwind uwtable {
  call void @nothrow()
  ret void
}

; Without a table the unwinder stops here: no pad, or there would be a table and other behaviour.
; CHECK-LABEL: define void @no_table(ptr %p)
; CHECK-NOT:   personality
; CHECK:       call void @pthread_exit(ptr %p)
define void @no_table(ptr %p) nounwind {
  call void @pthread_exit(ptr %p) nounwind
  ret void
}

; CHECK-NOT: attributes [[UNWINDS]] = { {{.*}}nounwind
