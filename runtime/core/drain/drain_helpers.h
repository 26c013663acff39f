// Threads that take part in the drain's passes, for programs that record more than one thread can drain.
//
// The drain thread starts them, so they share its table of open files, its directory and its rights, and the rules in
// drain_thread.h apply to them. Between passes they sleep.
#pragma once

#include "core/base/os.h"

namespace ada::runtime {

// All members are for the drain thread. A zero-initialised object has no helpers.
class DrainHelpers {
public:
  static constexpr unsigned kMax = 15;

  using Work = void (*)(void *context, unsigned helper);

  // Starts that many helpers, or fewer if the system refuses more.
  void start(unsigned wanted);
  unsigned count() const { return count_; }
  // Each helper calls work(context, its number, from 0) once. finish() must follow.
  void begin(Work work, void *context);
  // Waits until all are done; calls `meanwhile()` every millisecond.
  template <class Meanwhile> void finish(Meanwhile &&meanwhile) {
    while (uint32_t busy = __atomic_load_n(&busy_, __ATOMIC_ACQUIRE)) {
      sys::futexWait(&busy_, busy, 1000000);
      meanwhile();
    }
  }
  // Ends the helpers; they touch nothing any more once this returns.
  void stop() {
    begin(nullptr, nullptr);
    finish([] {});
    count_ = 0;
  }

private:
  struct Helper {
    DrainHelpers *all;
    unsigned number;
    uint32_t round; // the last one it has done
  };
  static void threadMain(void *helper);

  Helper helpers_[kMax] = {};
  unsigned count_ = 0;
  Work work_ = nullptr; // null: the helpers must end
  void *context_ = nullptr;
  uint32_t round_ = 0; // futex: changes when there is work
  uint32_t busy_ = 0;  // futex: the number of helpers not done yet
};

} // namespace ada::runtime
