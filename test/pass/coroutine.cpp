// RUN: %same_behaviour %s -std=c++20
// RUN: FileCheck %s < %t-O0.events
// RUN: FileCheck %s < %t-O0-early.events
// UNSUPPORTED: llvm-13
// A coroutine is traced as the functions into which it is split: the one that is called, and one that runs at each
// resumption, including symmetric transfer and exceptions.
#if __has_include(<coroutine>) && __clang_major__ >= 15
#include <coroutine>
#else // clang 14 looks for the names in std, but does not take libstdc++'s header
#define ADA_OWN_HEADER 1
#endif
#include <cstdio>
#include <exception>
#include <utility>
#ifdef ADA_OWN_HEADER
namespace std {
template <class R, class...> struct coroutine_traits {
  using promise_type = typename R::promise_type;
};
template <class P = void> struct coroutine_handle;
template <> struct coroutine_handle<void> {
  void *p = nullptr;
  static coroutine_handle from_address(void *a) noexcept {
    coroutine_handle h;
    h.p = a;
    return h;
  }
  void *address() const noexcept { return p; }
  void resume() const { __builtin_coro_resume(p); }
  void destroy() const { __builtin_coro_destroy(p); }
  bool done() const { return __builtin_coro_done(p); }
};
template <class P> struct coroutine_handle : coroutine_handle<> {
  static coroutine_handle from_address(void *a) noexcept {
    coroutine_handle h;
    h.p = a;
    return h;
  }
  static coroutine_handle from_promise(P &q) {
    return from_address(__builtin_coro_promise((char *)&q, alignof(P), true));
  }
  P &promise() const { return *(P *)__builtin_coro_promise(p, alignof(P), false); }
};
struct suspend_always {
  bool await_ready() const noexcept { return false; }
  void await_suspend(coroutine_handle<>) const noexcept {}
  void await_resume() const noexcept {}
};
} // namespace std
#endif

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
  bool next() {
    handle.resume();
    return !handle.done();
  }
};
__attribute__((noinline)) int step(int i) {
  if (i == 3)
    throw i;
  return i * i;
}
Generator squares(int n) {
  for (int i = 0; i < n; i++)
    co_yield step(i);
}

// CHECK: call _Z7squaresi{{$}}
// CHECK: return _Z7squaresi{{$}}
// CHECK: call _Z7squaresi.resume
// CHECK: call _Z4stepi
// CHECK-NEXT: return _Z4stepi
// CHECK: return _Z7squaresi.resume
// CHECK: exception _Z4stepi
// CHECK: exception _Z7squaresi.resume
// CHECK: call _Z7squaresi.destroy
// CHECK: return _Z7squaresi.destroy
int main() {
  Generator g = squares(5);
  try {
    while (g.next())
      printf("%d\n", g.handle.promise().value);
  } catch (int i) {
    printf("thrown %d\n", i);
  }
  g.handle.destroy();
}
