; RUN: %opt_ada %s | FileCheck %s
; long double is on the stack as an argument, and in st0 as a result: neither is forwarded, and what follows is.
target triple = "x86_64-unknown-linux-gnu"
; CHECK: @__ada_enter(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}}, i32 %a, i32 %c)
; CHECK: @__ada_exit(ptr {{.*}}nest{{.*}} %ada.nest{{[0-9]*}})
define x86_fp80 @f(i32 %a, x86_fp80 %b, i32 %c) {
  ret x86_fp80 %b
}
