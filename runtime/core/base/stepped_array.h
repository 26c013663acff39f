// An array that allocates memory in steps as it is used, for data that may be large but mostly isn't.
//
// Address space matters too: `ulimit -v` limits it, and mlockall() turns it into memory.
#pragma once

#include "os.h"

namespace ada::runtime {

// Elements are plain data, initially zero. They never move. A zero-initialised array is empty.
template <class T, uint64_t kMax, uint64_t kPerStep = 256> class SteppedArray {
  static_assert(kMax % kPerStep == 0);

public:
  // Makes the elements below `count` exist. Returns false if there is no memory for them, or if `count` is over kMax.
  bool reserve(uint64_t count) {
    while (ready_ < count) {
      if (ready_ == kMax)
        return false;
      auto *step = static_cast<T *>(sys::mapMemory(kPerStep * sizeof(T)));
      if (!step)
        return false;
      steps_[ready_ / kPerStep] = step;
      ready_ += kPerStep;
    }
    return true;
  }
  uint64_t ready() const { return ready_; }
  T &operator[](uint64_t i) { return steps_[i / kPerStep][i % kPerStep]; }
  const T &operator[](uint64_t i) const { return steps_[i / kPerStep][i % kPerStep]; }
  // Frees all memory.
  void release() {
    for (uint64_t i = 0; i < ready_ / kPerStep; ++i)
      sys::unmap(steps_[i], kPerStep * sizeof(T));
    ready_ = 0;
  }

private:
  T *steps_[kMax / kPerStep] = {};
  uint64_t ready_ = 0;
};

} // namespace ada::runtime
