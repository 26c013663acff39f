// Fibers: stacks that threads switch between.
//
// Each fiber is a row in the trace, with its own slot and chunks in the ring file. To the drain, to recovery and to
// readers a fiber is a thread: records and files contain nothing about fibers. At a switch, the calling thread's
// AdaThread is exchanged for that of the target stack. A stack is never identified by address: its token lies in a
// frame on that stack (include/ada/abi.h), or the program keeps the token (trace.h). Tokens are
//
//   the address of an ada_fiber    one of the stacks that a thread has switched to or from
//   that of an AdaThread, plus 1   the own stack of that thread, which may never have switched; null: of this thread
//   kNoRow                         a stack that had recorded nothing when swapcontext left it
//
// So a program that calls setjmp but never switches stacks needs no memory and no system call for its token.
//
// A signal handler on an alternate stack may be a call like any other, or may become a stack of its own: it calls
// setjmp and returns, and the program jumps there later. Its token is a fiber that has no records yet. If control
// comes to it while the handler may still run, the handler's calls go on where they are. That it is over is known when
// the interrupted stack calls setjmp, sigaltstack or swapcontext outside of the alternate stack.
#pragma once

#include "thread.h"

namespace ada::runtime {

// Marks and names the slot of a fiber that records its first event.
void markFiber(AdaThread &t);
// The thread has ended, and with it its own stack and the one that it was on.
void endFibers(AdaThread &t);
// Nothing is recorded yet, on the stack where the thread is.
void startAnew(AdaThread &t);

} // namespace ada::runtime
