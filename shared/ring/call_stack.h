// The open calls of one thread, in memory that its owner provides.
#pragma once

#include "product.h"

#include <stddef.h>

namespace ada::ring {

struct Frame {
  Product function;
  uint64_t mark;     // frame address given by __ada_mark_frame, 0 if none
  uint64_t beginNs;  // when it was entered
  uint64_t position; // where its frame begins on the stack. If that is not known, the same as for the call around it
};

inline constexpr uint64_t kNoPosition = UINT64_MAX;       // above all others
inline constexpr uint64_t kLostFunction = UINT64_MAX - 1; // of a call that was entered in a gap
inline constexpr Product kLost = Product::of(kLostFunction);
inline constexpr Product kOutside = Product::of(UINT64_MAX); // no function: see below

struct CallStack {
  Frame *frames = nullptr; // before them is one that stands for what is around the outermost call
  size_t depth = 0;
  size_t capacity = 0;

  // Returns memory for `newCount` frames that begins with the old ones, or null: then deeper calls are not tracked
  // and their events carry the depth that is known.
  using Grow = Frame *(*)(Frame *old, size_t oldCount, size_t newCount);

  // Memory for `count` frames, which begins with those that there are.
  void adopt(Frame *made, size_t count) {
    made[0] = {kOutside, 0, 0, kNoPosition};
    frames = made + 1, capacity = count - 1;
  }
  // The owner's memory, and for how many frames it is; null and 0 before there is any.
  Frame *memory() const { return frames ? frames - 1 : nullptr; }
  size_t memoryCount() const { return frames ? capacity + 1 : 0; }

  uint64_t position() const { return depth > 0 ? frames[depth - 1].position : kNoPosition; }

  bool push(uint64_t functionId, uint64_t beginNs, Grow grow) { return push(functionId, beginNs, position(), grow); }
  bool push(uint64_t functionId, uint64_t beginNs, uint64_t position, Grow grow) {
    if (depth == capacity) {
      const size_t count = memoryCount(), more = count ? count * 2 : 256;
      Frame *const made = grow(memory(), count, more);
      if (!made)
        return false;
      adopt(made, more);
    }
    frames[depth++] = {Product::of(functionId), 0, beginNs, position};
    return true;
  }
};

} // namespace ada::ring
