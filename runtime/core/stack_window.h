// Which part of its stack a thread's records speak of: see ADA_RECORD_STACK.
//
// A call's record has 16 bits for where its frame is, which is enough for 1 MiB. The thread keeps where that begins
// (AdaThread::stack); when a call lies outside, the slow path moves it and records so.
//
// Positions prove that calls were left by a jump, and so they must be of one stack. A window proves nothing on another
// stack than the thread's own: a signal handler's, a fiber's, one that the program switches to where nobody sees it.
// The own one is where every page up to the thread's first frame can be read: stacks that are mapped have guard pages.
#ifndef ADA_RUNTIME_CORE_STACK_WINDOW_H
#define ADA_RUNTIME_CORE_STACK_WINDOW_H

#include "thread.h"

namespace ada {

// The position in the window in units of 16 bytes; more than 0xffff outside of it, and where the stack is aligned in
// another way.
inline uint64_t positionInWindow(const AdaThread &t, uint64_t sp) {
  const uint64_t distance = sp - t.stack;
  return distance >> 4 | distance << 60;
}
inline bool isInWindow(const AdaThread &t, uint64_t sp) { return positionInWindow(t, sp) <= 0xffff; }

// Moves the window so that `sp` is in it, and so that a stack that goes up and down by half a window does not move it
// again. Returns `what` of the record that has to be the thread's next one. With signals blocked.
uint64_t moveWindow(AdaThread &t, uint64_t sp);
// The same, where the window need not be moved if `sp` is in it.
uint64_t windowFor(AdaThread &t, uint64_t sp);

} // namespace ada
#endif
