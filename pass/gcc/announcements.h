// Announces calls that end or copy the process, or change the stack.
//
// common/special_calls.h lists them. Functions that are not traced announce them as well.
#pragma once

#include "gcc_headers.h"

namespace ada {

/// Adds the calls to FUNCTION. Returns whether it changed anything.
bool announceSpecialCalls(function *function);

} // namespace ada
