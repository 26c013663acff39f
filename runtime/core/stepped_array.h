// An array that takes memory in steps, as it is used: for what there may be much of, and mostly isn't.
//
// Address space counts as well: under `ulimit -v` it is all a program has, and mlockall() makes memory of it.
#ifndef ADA_RUNTIME_CORE_STEPPED_ARRAY_H
#define ADA_RUNTIME_CORE_STEPPED_ARRAY_H

#include "os.h"

namespace ada {

// Elements are plain data and come zeroed. They never move. Zero-initialised, the array is empty.
template <class T, uint64_t kMost, uint64_t kPerStep = 256> class SteppedArray {
  static_assert(kMost % kPerStep == 0);

public:
  // Makes sure that elements below `count` exist. False if there is no memory, or count > kMost.
  bool reserve(uint64_t count) {
    while (ready_ < count) {
      if (ready_ == kMost)
        return false;
      T *step = (T *)sys::mapMemory(kPerStep * sizeof(T));
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
  // Gives all memory back.
  void release() {
    for (uint64_t i = 0; i < ready_ / kPerStep; ++i)
      sys::unmap(steps_[i], kPerStep * sizeof(T));
    ready_ = 0;
  }

private:
  T *steps_[kMost / kPerStep] = {};
  uint64_t ready_ = 0;
};

} // namespace ada
#endif
