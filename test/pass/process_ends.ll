; RUN: %opt_ada -ada-exclude=excluded %s | FileCheck %s
; exec and _exit run no destructors: they are announced, switched off or not, traced or not.
target triple = "x86_64-unknown-linux-gnu"

declare i32 @execve(ptr, ptr, ptr)
declare i32 @execl(ptr, ptr, ...)
declare void @_exit(i32) noreturn
declare void @_Exit(i32) noreturn
declare void @quick_exit(i32) noreturn

; CHECK-LABEL: define void @f(
; CHECK:       load volatile
; CHECK:       @__ada_enter
; CHECK:       call void @__ada_before_exec()
; CHECK-NEXT:  call i32 @execve(
; CHECK-NEXT:  call void @__ada_after_exec()
; CHECK-NEXT:  call void @__ada_before_exec()
; CHECK-NEXT:  call i32 (ptr, ptr, ...) @execl(
; CHECK-NEXT:  call void @__ada_after_exec()
; CHECK-NEXT:  call void @__ada_before_exit(i32 %status)
; CHECK-NEXT:  call void @_exit(i32 %status)
define void @f(ptr %p, i32 %status) nounwind {
  call i32 @execve(ptr %p, ptr null, ptr null)
  call i32 (ptr, ptr, ...) @execl(ptr %p, ptr %p, ptr null)
  call void @_exit(i32 %status)
  unreachable
}

; CHECK-LABEL: define void @excluded()
; CHECK-NEXT:  call void @__ada_before_exit(i32 7)
; CHECK-NEXT:  call void @_Exit(i32 7)
define void @excluded() nounwind {
  call void @_Exit(i32 7)
  unreachable
}

; quick_exit calls handlers first, the runtime's last.
; CHECK-LABEL: define void @quick()
; CHECK-NOT:   @__ada_before
; CHECK:       call void @quick_exit(i32 7)
define void @quick() nounwind {
  call void @quick_exit(i32 7)
  unreachable
}

; A function of the program's own that has such a name is not libc's.
; CHECK-LABEL: define i32 @calls_own(
; CHECK-NOT:   @__ada_before_exec
; CHECK:       ret i32
define i32 @calls_own() nounwind {
  %r = call i32 @execv()
  ret i32 %r
}
define i32 @execv() nounwind {
  ret i32 0
}

; What makes a process without libc's fork and its handlers is announced as well; other system calls are not.
; CHECK-LABEL: define i64 @clones(
; CHECK:       call void @__ada_before_clone()
; CHECK-NEXT:  call i32 @_Fork()
; CHECK-NEXT:  call void @__ada_before_clone()
; CHECK-NEXT:  call i64 (i64, ...) @syscall(i64 435
; CHECK-NEXT:  call void @__ada_before_clone()
; CHECK-NEXT:  call i64 (i64, ...) @syscall(i64 %n
; CHECK-NOT:   @__ada_before_clone
; CHECK:       call i64 (i64, ...) @syscall(i64 39
define i64 @clones(i64 %n) nounwind {
  %pid = call i32 @_Fork()
  %a = call i64 (i64, ...) @syscall(i64 435, i64 0)
  %b = call i64 (i64, ...) @syscall(i64 %n)
  %c = call i64 (i64, ...) @syscall(i64 39)
  ret i64 %c
}
declare i32 @_Fork()
declare i64 @syscall(i64, ...)

; So is what ends a thread without telling anybody: it may be the process's last.
; CHECK-LABEL: define void @ends(
; CHECK:       call void @__ada_before_thread_exit(i32 %status)
; CHECK-NEXT:  call i64 (i64, ...) @syscall(i64 60, i32 %status)
; CHECK-NEXT:  call void @__ada_before_thread_exit(i32 7)
; CHECK-NEXT:  call i64 (i64, ...) @syscall(i64 60, i64 7)
define void @ends(i32 %status) nounwind {
  call i64 (i64, ...) @syscall(i64 60, i32 %status)
  call i64 (i64, ...) @syscall(i64 60, i64 7)
  ret void
}

; And what ends the process.
; CHECK-LABEL: define void @ends_all(
; CHECK:       call void @__ada_before_exit(i32 7)
; CHECK-NEXT:  call i64 (i64, ...) @syscall(i64 231, i64 7)
define void @ends_all() nounwind {
  call i64 (i64, ...) @syscall(i64 231, i64 7)
  ret void
}
