// The part of its stack that a thread's records refer to: see ADA_RECORD_STACK.
//
// A call's record has 16 bits for the place of its frame, which is enough for 1 MiB. The thread keeps the beginning of
// that window (AdaThread::stack); when a call lies outside, the slow path moves the window and records that.
//
// Positions prove that calls were left by a jump, so they must all be on one stack. A window proves nothing on any
// stack other than the thread's own: a signal handler's, a fiber's, or one that the program switches to unseen. An
// address is on the thread's own stack if every page up to the thread's first frame can be read: mapped stacks have
// guard pages.
#pragma once

#include "thread.h"

namespace ada::runtime {

// The position in the window in units of 16 bytes; more than 0xffff outside of it, and if the stack is aligned
// differently.
inline uint64_t positionInWindow(const AdaThread &t, uint64_t sp) {
  const uint64_t distance = sp - t.stack;
  return distance >> 4 | distance << 60;
}
inline bool isInWindow(const AdaThread &t, uint64_t sp) { return positionInWindow(t, sp) <= 0xffff; }

// Moves the window so that it contains `sp`, and so that a stack that goes up and down by half a window does not move
// it again. Returns `what` of the record that must be the thread's next one. With signals blocked.
uint64_t moveWindow(AdaThread &t, uint64_t sp);
// The same, but the window need not be moved if it contains `sp`.
uint64_t windowFor(AdaThread &t, uint64_t sp);

} // namespace ada::runtime
