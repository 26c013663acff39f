// Announces calls that end or copy the process, or save or change the stack.
//
// common/special_calls.h lists them. Functions that are not traced announce them as well.
#pragma once

#include "hooks.h"

namespace ada::pass {

/// Whether CALL saves a place on the stack that control may come back to, by a jump or from another stack.
bool mayBeJumpedTo(const gcall *call);

/// Adds the calls to FUNCTION. FRAME: null if it is not traced. Returns whether it changed anything.
bool announceSpecialCalls(function *function, const Frame *frame);

} // namespace ada::pass
