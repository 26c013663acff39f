// Runs code that needs much stack where the program's may be small.
#pragma once

#include <stddef.h>

extern "C" void ada_run_on_stack(void *top, void (*function)(void *), void *argument)
    __attribute__((visibility("hidden")));

namespace ada::runtime {

// Memory for a stack. One thread at a time may use it, with signals blocked.
template <size_t kBytes> class OwnStack {
public:
  template <class Body> void run(Body &&body) {
    ada_run_on_stack(memory_ + kBytes, [](void *b) { (*static_cast<Body *>(b))(); }, &body);
  }

private:
  alignas(16) char memory_[kBytes];
};

} // namespace ada::runtime
