// mutex.h - a lock for code that runs with all signals blocked, in one process.
//
// Not pthread's: that one may be interposed, and its state must be set anew in a forked child.
#ifndef ADA_RUNTIME_OS_LINUX_MUTEX_H
#define ADA_RUNTIME_OS_LINUX_MUTEX_H

#include "sys.h"

namespace ada {

class Mutex {
public:
  void lock() {
    uint32_t free = 0;
    if (__atomic_compare_exchange_n(&state, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
    for (int i = 0; i < 64; ++i) { // critical sections are short: a system call would take longer
      arch::pause();
      free = 0;
      if (__atomic_compare_exchange_n(&state, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    }
    while (__atomic_exchange_n(&state, 2, __ATOMIC_ACQUIRE) != 0)
      sys::futexWait(&state, 2, UINT64_MAX);
  }
  void unlock() {
    if (__atomic_exchange_n(&state, 0, __ATOMIC_RELEASE) == 2)
      sys::futexWake(&state, 1);
  }
  // In a forked child: nobody holds it.
  void reset() { state = 0; }

private:
  uint32_t state = 0; // 0 free, 1 held, 2 held and waited for
};

class Lock {
public:
  explicit Lock(Mutex &m) : mutex(m) { mutex.lock(); }
  ~Lock() { mutex.unlock(); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  Mutex &mutex;
};

} // namespace ada
#endif
