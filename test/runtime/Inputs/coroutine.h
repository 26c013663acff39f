// The part of <coroutine> that the tests use, for every LLVM here, because clang 14 can't read libstdc++'s header.
#pragma once
namespace std {
template <class R, class...> struct coroutine_traits {
  using promise_type = typename R::promise_type;
};
template <class P = void> struct coroutine_handle;
template <> struct coroutine_handle<void> {
  void *frame = nullptr;
  static coroutine_handle from_address(void *p) noexcept { return {p}; }
  void *address() const noexcept { return frame; }
  bool done() const noexcept { return __builtin_coro_done(frame); }
  void resume() const { __builtin_coro_resume(frame); }
  void destroy() const { __builtin_coro_destroy(frame); }
};
template <class P> struct coroutine_handle : coroutine_handle<> {
  static coroutine_handle from_address(void *p) noexcept {
    coroutine_handle h;
    h.frame = p;
    return h;
  }
  static coroutine_handle from_promise(P &p) noexcept {
    return from_address(__builtin_coro_promise(&p, alignof(P), true));
  }
  P &promise() const noexcept { return *static_cast<P *>(__builtin_coro_promise(frame, alignof(P), false)); }
};
struct suspend_always {
  bool await_ready() const noexcept { return false; }
  void await_suspend(coroutine_handle<>) const noexcept {}
  void await_resume() const noexcept {}
};
} // namespace std
