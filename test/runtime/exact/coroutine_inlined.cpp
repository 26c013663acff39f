// REQUIRES: llvm-at-least-19
// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clangxx -std=c++20 -O2 --ada-before-inlining --ada-why=numbers %s -o p 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: env ADA_OPTIONS=session=s ./p && adatrace report --format=jsonl s | FileCheck %s
// Before inlining, the call that creates a coroutine is recorded too, however small the coroutine is.
#include <coroutine>
struct Gen {
  struct promise_type {
    int value;
    Gen get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int x) {
      value = x;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  ~Gen() { handle.destroy(); }
};
// WHY: numbers(int): traced
// CHECK-DAG: "function":"numbers(..)",{{.*}}"calls":1,
// CHECK-DAG: "function":"numbers(..) [.resume]",{{.*}}"calls":6,
// CHECK-DAG: "function":"numbers(..) [.destroy]",{{.*}}"calls":1,
Gen numbers(int n) {
  for (int i = 0; i < n; i++)
    co_yield i;
}
int main(int argc, char **) {
  int sum = 0;
  Gen g = numbers(argc + 4);
  while (g.handle.resume(), !g.handle.done())
    sum += g.handle.promise().value;
  return sum - 10;
}
