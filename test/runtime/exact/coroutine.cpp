// RUN: %like_plain %t %ada_clangxx -std=c++20 -I%inputs -O0 %s && %calls tree --open=0 --only='^(main|numbers|outer|visit|fails)(?!.*wrapper)' %t/session | FileCheck --strict-whitespace %s
// RUN: %like_plain %t %ada_clangxx -std=c++20 -I%inputs -O2 %s && %calls tree --open=0 --only='^(main|numbers|outer|visit|fails)(?!.*wrapper)' %t/session | FileCheck --strict-whitespace %s
// UNSUPPORTED: llvm-13
// Clang 13 has only the experimental coroutines, whose header is not <coroutine>.
// A coroutine's start, each resumption and its destruction are separate calls; a transfer from one coroutine to another
// is a tail call; an exception that leaves a coroutine is recorded as an exception event.
#include "coroutine.h"
#include <stdio.h>
#define NOINLINE __attribute__((noinline))

NOINLINE void visit(int n) { printf("visit %d\n", n); }

struct Generator {
  struct promise_type {
    int value = 0;
    std::coroutine_handle<> next;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().next.frame ? h.promise().next : h;
      }
      void await_resume() noexcept {}
    };
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) { return value = v, std::suspend_always(); }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};
struct Transfer { // resumes another coroutine instead of the awaiting one
  std::coroutine_handle<> to;
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept { return to; }
  void await_resume() noexcept {}
};

NOINLINE Generator numbers(int from) {
  visit(from);
  co_yield from;
  visit(from + 1);
  co_yield from + 1;
}
NOINLINE Generator outer(Generator inner) {
  visit(100);
  co_await Transfer{inner.handle};
  visit(101);
}
NOINLINE Generator fails() {
  visit(200);
  throw 3;
  co_return;
}

// CHECK:      {{^}}main
int main() {
  // CHECK-NEXT: {{^}}  numbers(int){{$}}
  Generator g = numbers(1);
  // CHECK-NEXT: {{^}}  numbers(int) {{.*}}resume{{.?$}}
  // CHECK-NEXT: {{^}}    visit(int)
  g.handle.resume();
  // CHECK-NEXT: {{^}}  numbers(int) {{.*}}resume{{.?$}}
  // CHECK-NEXT: {{^}}    visit(int)
  g.handle.resume();
  // CHECK-NEXT: {{^}}  numbers(int) {{.*}}resume{{.?$}}
  g.handle.resume();
  // CHECK-NEXT: {{^}}  visit(int)
  visit(g.handle.done());
  // CHECK-NEXT: {{^}}  numbers(int) {{.*}}destroy{{.?$}}
  g.handle.destroy();
  // CHECK-NEXT: {{^}}  numbers(int){{$}}
  g = numbers(5);
  // CHECK-NEXT: {{^}}  outer(Generator){{$}}
  Generator o = outer(g);
  // CHECK-NEXT: {{^}}  outer(Generator) {{.*}}resume{{.?$}}
  // CHECK-NEXT: {{^}}    visit(int)
  // LLVM 14 at -O0 turns the transfer into an ordinary call.
  // CHECK-NEXT: {{^  (  )?}}numbers(int) {{.*}}resume{{.?$}}
  // CHECK-NEXT: {{^    (  )?}}visit(int)
  o.handle.resume();
  // CHECK-NEXT: {{^}}  outer(Generator) {{.*}}resume{{.?$}}
  // CHECK-NEXT: {{^}}    visit(int)
  o.handle.resume();
  // CHECK-NEXT: {{^}}  outer(Generator) {{.*}}destroy{{.?$}}
  o.handle.destroy();
  // CHECK-NEXT: {{^}}  numbers(int) {{.*}}destroy{{.?$}}
  g.handle.destroy();
  // CHECK-NEXT: {{^}}  fails(){{$}}
  Generator f = fails();
  // CHECK-NEXT: {{^}}  fails() {{.*}}resume{{.?}} (exception)
  // CHECK-NEXT: {{^}}    visit(int)
  try {
    f.handle.resume();
  } catch (int e) {
    // CHECK-NEXT: {{^}}  visit(int)
    visit(e);
  }
  // CHECK-NEXT: {{^}}  fails() {{.*}}destroy{{.?$}}
  f.handle.destroy();
  // CHECK-NOT: {{.}}
}
