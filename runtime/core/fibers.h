// Fibers: stacks that threads switch between.
//
// Each is a row of its own, with a slot and chunks of its own in the ring file. To the drain, to recovery and to
// readers a fiber is a thread: there is nothing about fibers in records or files. At a switch the calling thread's
// AdaThread is exchanged for that of the stack it goes to. Who is who is never looked up by address: the token of a
// stack lies in a frame on that stack (include/ada/abi.h), or the program keeps it (trace.h).
#ifndef ADA_RUNTIME_CORE_FIBERS_H
#define ADA_RUNTIME_CORE_FIBERS_H

#include "thread.h"

namespace ada {

// Gives the slot of a fiber that records its first event its name.
void nameFiber(AdaThread &t);
// The thread has ended, whatever it was recording for.
void freeFiber(AdaThread &t);

} // namespace ada
#endif
