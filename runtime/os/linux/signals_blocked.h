// Keeps signals from a thread of the program while the runtime holds something there.
//
// If a stack overflows while SIGSEGV is blocked, the system kills the process, even if the program has a handler that
// survives overflows: on an alternate stack, and left by siglongjmp(), as language runtimes do. So all the stack that
// is needed in this state is touched first, while no signal is blocked and no lock or mark is held. If the stack ends
// there, the fault strikes in the touch, as it would have struck in the program's own next call, and there is nothing
// that the handler's jump could leave behind. Code in this state calls nothing whose need is not known. What needs more
// than hooks can ask for has a stack of the runtime's (core/base/own_stack.h).
//
// test/runtime/hooks/stack_need.test computes from the machine code what each function needs below its touch.
#pragma once

#include "cpu.h"
#include "sys.h"

namespace ada::runtime {

// In hooks, which may run on any stack; where globs are matched; where libraries are loaded and unloaded. Not much more
// than the need, because the stack of a thread that lived without the touch must be large enough for it.
inline constexpr size_t kHookStack = 512, kGlobStack = 6400, kLargeStack = 13312;
// What a program's allocator is assumed to need.
inline constexpr size_t kAllocatorStack = 8192;

// Touches the next `kBytes` of the caller's stack, page by page, so that no guard page is jumped over.
template <size_t kBytes> __attribute__((noinline)) void touchStack() {
  char room[kBytes];
  for (size_t page = 4096; page < kBytes; page += 4096)
    arch::touch(room + (kBytes - page));
  arch::touch(room);
}

template <size_t kStack = kHookStack> class SignalsBlocked {
public:
  __attribute__((always_inline)) SignalsBlocked() { blockAgain(); }
  ~SignalsBlocked() {
    if (isBlocked_)
      unblock();
  }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

  // Before the end, or for a wait in between.
  void unblock() {
    isBlocked_ = false;
    sys::restoreSignals(mask_);
  }
  __attribute__((always_inline)) void blockAgain() {
    touchStack<kStack>();
    mask_ = sys::blockSignals();
    isBlocked_ = true;
  }

private:
  uint64_t mask_;
  bool isBlocked_;
};

} // namespace ada::runtime
