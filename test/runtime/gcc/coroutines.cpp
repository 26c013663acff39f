// Coroutines that transfer control to each other: without optimization as calls, which end for the trace where they are
// jumps otherwise; with it as jumps, so that the stack does not grow, whether recorded or not.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %ada_gxx -std=c++20 -I%inputs -O0 -fchecking %s -o plain && ADA_OPTIONS=session=s:coroutines=1 ./plain 1 && %calls tree --open=0 --only='^(main|loop|leaf|start)' s | FileCheck --strict-whitespace %s
// RUN: adatrace tree --args --function='leaf*' s | FileCheck %s --check-prefix=ARGS
// RUN: for o in -O2 '-O3 -flto' -Os; do %ada_gxx -std=c++20 -I%inputs $o -fchecking %s -o p && (ulimit -s 256 && ADA_OPTIONS=enabled=0:session=t ./p 20000 && rm -rf s && ADA_OPTIONS=session=s:coroutines=1 ./p 20000) | grep -cx right | grep -qx 2 && \
// RUN:   adatrace verify -q s && adatrace coroutines s | FileCheck %s --check-prefix=TREE && adatrace coroutines --each --format=jsonl s | grep -c '"frame":"0x' | grep -qx 20002 || exit 1; done
// REQUIRES: gcc-plugin, native, x86_64
#include "coroutine.h"
#include <cstdio>
#include <cstdlib>
#define NOINLINE __attribute__((noinline))
// TREE: {{  1 +1  start\(\.\.\) \[1 without}}
// TREE-NEXT: {{  1 +20,001    loop\(\.\.\) \[resumed there\]$}}
// TREE-NEXT: {{  20,000 +20,000      leaf\(\.\.\)$}}
struct Never {
  bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  void await_resume() const noexcept {}
};
struct Task {
  struct promise_type {
    std::coroutine_handle<> awaiter;
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().awaiter; }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
  ~Task() { handle.destroy(); }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) { handle.promise().awaiter = h; return handle; }
  void await_resume() {}
};
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    Never initial_suspend() noexcept { return {}; }
    Never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
static long sum;
NOINLINE Task leaf(int n) { sum += n; co_return; }
NOINLINE Task loop(int n) {
  for (int i = 0; i < n; ++i)
    co_await leaf(i);
}
NOINLINE Detached start(int n) {
  co_await loop(n);
  puts(sum == long(n) * (n - 1) / 2 ? "right" : "wrong");
}
// CHECK:      {{^}}main
// CHECK-NEXT: {{^}}  start(int){{$}}
// CHECK-NEXT: {{^}}    start(int) {{.*}}actor{{.?$}}
// CHECK-NEXT: {{^}}      loop(int){{$}}
// CHECK-NEXT: {{^}}        loop(int) {{.*}}actor{{.?$}}
// CHECK-NEXT: {{^}}    loop(int) {{.*}}actor{{.?$}}
// CHECK-NEXT: {{^}}      leaf(int){{$}}
// CHECK-NEXT: {{^}}        leaf(int) {{.*}}actor{{.?$}}
// CHECK-NEXT: {{^}}    leaf(int) {{.*}}actor{{.?$}}
// CHECK-NEXT: {{^}}    loop(int) {{.*}}actor{{.?$}}
// CHECK-NEXT: {{^}}      leaf(int) {{.*}}destroy{{.?$}}
// CHECK-NEXT: {{^}}        leaf(int) {{.*}}actor{{.?$}}
// CHECK-NEXT: {{^}}    start(int) {{.*}}actor{{.?$}}
// CHECK-NEXT: {{^}}      loop(int) {{.*}}destroy{{.?$}}
// CHECK-NEXT: {{^}}        loop(int) {{.*}}actor{{.?$}}
// CHECK-NOT:  {{.}}
// ARGS: leaf(n=0) → {handle={frame=[[frame:0x[0-9a-f]+]]}}
// ARGS: leaf(frame=[[frame]], index=0) [.actor] → nullptr
// ARGS: leaf(frame=[[frame]], index=2) [.actor] → 0x
// ARGS: leaf(frame=[[frame]]) [.destroy] → nullptr
// ARGS: leaf(frame=[[frame]], index={{[135]}}) [.actor] → nullptr
int main(int, char **argv) { start(atoi(argv[1])); }
