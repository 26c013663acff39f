// Fibers: stacks that threads switch between.
//
// Each fiber is a row in the trace, with its own slot and chunks in the ring file. To the drain, to recovery and to
// readers a fiber is a thread: records and files contain nothing about fibers. At a switch, the calling thread's
// AdaThread is exchanged for that of the target stack. A stack is never identified by address: its token lies in a
// frame on that stack (include/ada/abi.h), or the program keeps the token (trace.h).
#pragma once

#include "thread.h"

namespace ada {

// Names the slot of a fiber that records its first event.
void nameFiber(AdaThread &t);
// Frees the thread's fiber, if any: the thread has ended.
void freeFiber(AdaThread &t);

} // namespace ada
