; RUN: %opt_ada %s | FileCheck %s --check-prefixes=CHECK,%since19
; The frame that hooks are told of is no reason for -fstack-protector-strong to protect a function that it would not protect without;
; what has an array of its own, or whose own variable's address goes somewhere, is protected as before.
target triple = "x86_64-unknown-linux-gnu"

; BEFORE19: define i32 @plain({{.*}} [[STRONG:#[0-9]+]]
; SINCE19: define i32 @plain({{.*}} [[WEAK:#[0-9]+]]
define i32 @plain(i32 %x) sspstrong {
  %y = add i32 %x, 1
  ret i32 %y
}

; SINCE19: define void @array() [[STRONG:#[0-9]+]]
define void @array() sspstrong {
  %a = alloca [4 x i64]
  store volatile [4 x i64] zeroinitializer, ptr %a
  ret void
}

; CHECK: define void @address() [[STRONG]]
define void @address() sspstrong {
  %a = alloca i32
  call void @take(ptr %a)
  ret void
}

; CHECK: define void @always() [[ALWAYS:#[0-9]+]]
define void @always() sspreq {
  ret void
}

declare void @take(ptr) nounwind

; SINCE19-DAG: attributes [[WEAK]] = { ssp "
; CHECK-DAG: attributes [[STRONG]] = { {{.*}}sspstrong
; CHECK-DAG: attributes [[ALWAYS]] = { {{.*}}sspreq
