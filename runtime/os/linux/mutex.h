// A lock for code that runs with all signals blocked, within one process.
//
// Not pthread's: that may be interposed, and our state must be reset in a forked child.
#pragma once

#include "sys.h"

namespace ada::runtime {

class Mutex {
public:
  void lock() {
    uint32_t free = 0;
    if (__atomic_compare_exchange_n(&state_, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
    for (int i = 0; i < 64; ++i) { // critical sections are short: a system call would take longer
      arch::pause();
      free = 0;
      if (__atomic_compare_exchange_n(&state_, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    }
    while (__atomic_exchange_n(&state_, 2, __ATOMIC_ACQUIRE) != 0)
      sys::futexWait(&state_, 2, UINT64_MAX);
  }
  bool tryLock() {
    uint32_t free = 0;
    return __atomic_compare_exchange_n(&state_, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }
  void unlock() {
    if (__atomic_exchange_n(&state_, 0, __ATOMIC_RELEASE) == 2)
      sys::futexWake(&state_, 1);
  }
  // For a forked child, where no thread holds it.
  void reset() { state_ = 0; }

private:
  uint32_t state_ = 0; // 0 free, 1 held, 2 held and waited for
};

class Lock {
public:
  explicit Lock(Mutex &m) : mutex_(m) { mutex_.lock(); }
  ~Lock() { mutex_.unlock(); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  Mutex &mutex_;
};

} // namespace ada::runtime
