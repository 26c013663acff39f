// The open calls of one thread, in memory that its owner provides.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ada::ring {

struct Frame {
  uint64_t functionId;
  uint64_t mark;     // frame address given by __ada_mark_frame, 0 if none
  uint64_t beginNs;  // when it was entered
  uint64_t position; // where its frame begins on the stack. If that is not known, the same as for the call around it
};

inline constexpr uint64_t kNoPosition = UINT64_MAX; // above all others

struct CallStack {
  Frame *frames = nullptr;
  size_t depth = 0;
  size_t capacity = 0;

  // Returns memory for `newCapacity` frames that begins with the old ones, or null: then deeper calls are not tracked
  // and their events carry the depth that is known.
  using Grow = Frame *(*)(Frame *old, size_t oldCapacity, size_t newCapacity);

  uint64_t position() const { return depth > 0 ? frames[depth - 1].position : kNoPosition; }

  bool push(uint64_t functionId, uint64_t beginNs, Grow grow) { return push(functionId, beginNs, position(), grow); }
  bool push(uint64_t functionId, uint64_t beginNs, uint64_t position, Grow grow) {
    if (depth == capacity) {
      size_t more = capacity ? capacity * 2 : 256;
      Frame *f = grow(frames, capacity, more);
      if (!f)
        return false;
      frames = f, capacity = more;
    }
    frames[depth++] = {functionId, 0, beginNs, position};
    return true;
  }
};

} // namespace ada::ring
