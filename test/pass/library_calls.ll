; RUN: %opt_ada -ada-calls='default|twin|dl*|returns_twice|own*|syscall|pthread_exit' -ada-exclude=free %s | FileCheck %s
; RUN: %opt_ada -ada-calls=default,twin,dl*,returns_twice,own*,big,nobody_?alls,'syscall|pthread_exit' -ada-exclude=free -ada-why %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=AdaTrace:
; RUN: %opt_ada %s | FileCheck %s --check-prefix=OFF
; A call of a function that is only declared goes to a wrapper, which has the hooks.
target triple = "x86_64-unknown-linux-gnu"

; OFF-NOT: __ada_call.

declare i64 @read(i32, ptr, i64)
declare i32 @open64(ptr, i32, ...)
declare noalias ptr @malloc(i64) allocsize(0)
declare void @free(ptr) nounwind
declare i32 @twin(i32 signext, ptr byval([3 x i64]) align 8)
declare ptr @dlsym(ptr, ptr)
declare i32 @returns_twice() returns_twice
declare i32 @unnamed(i32)
declare void @own_takes_musttail(i32)
declare preserve_mostcc void @own_convention()
declare void @pthread_exit(ptr) noreturn
declare void @nobody_calls()
declare i32 @execv(ptr, ptr)
declare i64 @syscall(i64, ...)

; The name is the source's: open, and not open64.
; CHECK-DAG: @__ada_text{{.*}} = private unnamed_addr constant {{.*}} c"open\00"
; CHECK-DAG: c"i0:s32;path:i0:p(const char);flags:i1:s32\00"
; CHECK-DAG: c"i0:s32;path:i0:p(const char);flags:i1:s32;:i2:s32\00"
; CHECK-NOT: c"open64\00"

; CHECK-LABEL: define i64 @f(
; CHECK:  %n{{.*}} = {{call|invoke}} i64 @__ada_call.read.[[READ:[0-9a-f]+]](i32 %fd, ptr %p, i64 8)
; CHECK:  = {{call|invoke}} i32 @__ada_call.open64.[[OPEN2:[0-9a-f]+]](ptr %p, i32 0)
; CHECK:  = {{call|invoke}} i32 @__ada_call.open64.[[OPEN3:[0-9a-f]+]](ptr %p, i32 64, i32 420)
; CHECK:  = {{call|invoke}} i64 @__ada_call.read.[[READ]](i32 1, ptr %p, i64 9)
; CHECK:  %m = call noalias ptr @__ada_call.malloc.[[MALLOC:[0-9a-f]+]](i64 5) [[KEPT:#[0-9]+]]
; CHECK:  {{call|invoke}} void @free(ptr %m)
; CHECK:  = {{call|invoke}} i32 @__ada_call.twin.[[TWIN:[0-9a-f]+]](i32 signext 1, ptr byval([3 x i64]) align 8 %p)
; CHECK:  = {{call|invoke}} ptr @dlsym(ptr null, ptr %p)
; CHECK:  = {{call|invoke}} i32 @unnamed(i32 7)
define i64 @f(i32 %fd, ptr %p) {
  %n = call i64 @read(i32 %fd, ptr %p, i64 8)
  %a = call i32 (ptr, i32, ...) @open64(ptr %p, i32 0)
  %b = call i32 (ptr, i32, ...) @open64(ptr %p, i32 64, i32 420)
  %o = call i64 @read(i32 1, ptr %p, i64 9)
  %m = call noalias ptr @malloc(i64 5) nounwind allocsize(0)
  call void @free(ptr %m)
  %t = call i32 @twin(i32 signext 1, ptr byval([3 x i64]) align 8 %p)
  %s = call ptr @dlsym(ptr null, ptr %p)
  %u = call i32 @unnamed(i32 7)
  ret i64 %n
}

; CHECK-LABEL: define i32 @twice(
; CHECK:  {{call|invoke}} i32 @returns_twice()
define i32 @twice() {
  %r = call i32 @returns_twice()
  call preserve_mostcc void @own_convention()
  ret i32 %r
}

; CHECK-LABEL: define void @tail(
; CHECK:  musttail call void @own_takes_musttail(i32 %x)
define void @tail(i32 %x) {
  musttail call void @own_takes_musttail(i32 %x)
  ret void
}

; What is announced to the runtime still is, inside of the wrapper; a system call that makes no process is not.
; CHECK-LABEL: define void @ends(
; CHECK-NOT:   @__ada_before
; CHECK:       {{call|invoke}} i32 @__ada_call.execv.[[EXECV:[0-9a-f]+]](ptr %p, ptr %p)
; CHECK-NOT:   @__ada_before
; CHECK:       {{call|invoke}} i64 @__ada_call.syscall.[[GETPID:[0-9a-f]+]](i64 39)
; CHECK:       {{call|invoke}} i64 @__ada_call.syscall.[[ANY:[0-9a-f]+]](i64 %n)
; CHECK-NOT:   @__ada_before
; CHECK:       {{call|invoke}} void @__ada_call.pthread_exit.[[EXIT:[0-9a-f]+]](ptr %p)
; CHECK-NEXT:  to label %{{.*}} unwind label %pad
define void @ends(ptr %p, i64 %n) personality ptr @__gcc_personality_v0 {
  %r = call i32 @execv(ptr %p, ptr %p)
  %a = call i64 (i64, ...) @syscall(i64 39)
  %b = call i64 (i64, ...) @syscall(i64 %n)
  invoke void @pthread_exit(ptr %p) to label %never unwind label %pad
never:
  unreachable
pad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}
declare i32 @__gcc_personality_v0(...)

; CHECK:       define linkonce_odr hidden i64 @__ada_call.read.[[READ]](i32 %0, ptr %1, i64 %2) [[WRAPPER:#[0-9]+]] comdat personality
; CHECK:       load volatile i8
; CHECK:       @__ada_enter
; CHECK:       {{call|invoke}} i64 @read(i32 %0, ptr %1, i64 %2)
; CHECK:       @__ada_exit
; CHECK:       ret i64
; CHECK:       @__ada_unwind

; CHECK:       define linkonce_odr hidden i32 @__ada_call.open64.[[OPEN2]](ptr %0, i32 %1)
; CHECK:       {{call|invoke}} i32 (ptr, i32, ...) @open64(ptr %0, i32 %1)
; CHECK:       define linkonce_odr hidden i32 @__ada_call.open64.[[OPEN3]](ptr %0, i32 %1, i32 %2)
; CHECK:       {{call|invoke}} i32 (ptr, i32, ...) @open64(ptr %0, i32 %1, i32 %2)
; CHECK:       define linkonce_odr hidden ptr @__ada_call.malloc.[[MALLOC]](i64 %0)
; CHECK:       {{call|invoke}} ptr @malloc(i64 %0)
; CHECK:       define linkonce_odr hidden i32 @__ada_call.twin.[[TWIN]](i32 signext %0, ptr byval([3 x i64]) align 8 %1)
; CHECK:       {{call|invoke}} i32 @twin(i32 signext %0, ptr byval([3 x i64]) align 8 %1)
; CHECK:       define linkonce_odr hidden i32 @__ada_call.execv.[[EXECV]](ptr %0, ptr %1)
; CHECK:       @__ada_enter
; CHECK:       {{call|invoke}} void @__ada_before_exec()
; CHECK-NEXT:  {{call|invoke}} i32 @execv(ptr %0, ptr %1)
; CHECK:       define linkonce_odr hidden i64 @__ada_call.syscall.[[GETPID]](i64 %0)
; CHECK-NOT:   @__ada_before
; CHECK:       define linkonce_odr hidden i64 @__ada_call.syscall.[[ANY]](i64 %0)
; CHECK:       {{call|invoke}} void @__ada_before_clone()
; CHECK:       define linkonce_odr hidden void @__ada_call.pthread_exit.[[EXIT]](ptr %0)
; CHECK:       {{call|invoke}} void @pthread_exit(ptr %0)
; CHECK:       unreachable

; CHECK-DAG:   attributes [[WRAPPER]] = { noinline
; CHECK-DAG:   attributes [[KEPT]] = { nounwind }

; WHY: AdaTrace: {{.*}}library_calls.ll: no function that is only declared here matches -ada-calls='big'
; WHY: AdaTrace: f: traced
; WHY: AdaTrace: twice: traced
; WHY: AdaTrace: tail: traced
; WHY: AdaTrace: ends: traced
; WHY: AdaTrace: read: traced where it is called: 2 calls
; WHY: AdaTrace: open: traced where it is called: 2 calls
; WHY: AdaTrace: malloc: traced where it is called: 1 call
; WHY: AdaTrace: free: not traced: -ada-exclude matches it
; WHY: AdaTrace: twin: traced where it is called: 1 call
; WHY: AdaTrace: dlsym: not traced: its effect depends on its caller
; WHY: AdaTrace: returns_twice: not traced: it returns twice
; WHY: AdaTrace: unnamed: not traced: only declared in this translation unit; -ada-calls traces calls of such functions
; WHY: AdaTrace: own_takes_musttail: 1 call not traced: a musttail call
; WHY: AdaTrace: own_convention: 1 call not traced: not called with C's calling convention
; WHY: AdaTrace: pthread_exit: traced where it is called: 1 call
; WHY: AdaTrace: nobody_calls: not traced: no traced function calls it here
; WHY: AdaTrace: execv: traced where it is called: 1 call
; WHY: AdaTrace: syscall: traced where it is called: 2 calls
; WHY: AdaTrace: __gcc_personality_v0: not traced: only declared
