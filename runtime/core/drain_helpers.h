// Threads that take part in the drain's passes, for programs that record more than one thread can drain.
//
// They are made by the drain thread, so they have its table of open files, its directory and its rights; and what
// drain_thread.h says holds for them. Between passes they sleep.
#ifndef ADA_RUNTIME_CORE_DRAIN_HELPERS_H
#define ADA_RUNTIME_CORE_DRAIN_HELPERS_H

#include "os.h"

namespace ada {

// All members are for the drain thread. Zero-initialised, there are none.
class DrainHelpers {
public:
  static constexpr unsigned kMost = 15;

  using Work = void (*)(void *context, unsigned helper);

  // Makes as many, or fewer if the system has no more.
  void start(unsigned wanted);
  unsigned count() const { return count_; }
  // Each calls work(context, its number from 0 on) once. finish() must follow.
  void begin(Work work, void *context);
  // Waits until all are done; calls `meanwhile()` every millisecond.
  template <class Meanwhile> void finish(Meanwhile &&meanwhile) {
    while (uint32_t busy = __atomic_load_n(&busy_, __ATOMIC_ACQUIRE)) {
      sys::futexWait(&busy_, busy, 1000000);
      meanwhile();
    }
  }
  // They end, and touch nothing any more when this returns.
  void stop() {
    begin(nullptr, nullptr);
    finish([] {});
    count_ = 0;
  }

private:
  struct Helper {
    DrainHelpers *all;
    unsigned number;
    uint32_t round; // that it has done
  };
  static void threadMain(void *helper);

  Helper helpers_[kMost] = {};
  unsigned count_ = 0;
  Work work_ = nullptr; // null: they are to end
  void *context_ = nullptr;
  uint32_t round_ = 0; // futex: changes when there is something to do
  uint32_t busy_ = 0;  // futex: how many have not done it
};

} // namespace ada
#endif
