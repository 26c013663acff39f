// The functions that GCC makes of a coroutine: the one that creates it, f.actor and f.destroy.
//
// The actor runs each time the coroutine starts, goes on or ends. f calls it first, and f.destroy lets it end the
// coroutine.
#pragma once

#include "gcc_headers.h"

namespace ada::pass {

/// "_Z1fv.actor" if FUNCTION is a part that the coroutine _Z1fv was split into; "" if it is not. Its own symbol is
/// longer. Its only parameter is the coroutine's frame.
std::string coroutinePart(tree function);

/// Whether FUNCTION creates a coroutine that was split.
bool makesCoroutine(tree function);

/// If FUNCTION creates a coroutine: a variable with the address of the coroutine's frame, which is null until there is
/// a frame. Null otherwise.
tree keepCoroutineFrame(function *function);

/// The member of a coroutine's frame that says where the actor will go on, if FUNCTION is an actor: 0 is the start, and
/// an odd number the end. Null otherwise.
tree resumeIndex(tree function);

/// Whether CALL, in an actor, resumes the coroutine that runs instead of this one from then on.
bool isTransfer(tree function, const gcall *call);

/// Lets FUNCTION return after CALL at once, as it does where GCC makes a jump of CALL.
void returnAfter(function *function, gcall *call);

} // namespace ada::pass
