// The runtime's messages: one line on standard error, "AdaTrace: …".
#pragma once

#include "text.h"

namespace ada {

using Message = Text<1024>;

// Async-signal-safe. Not for the drain thread, which has no standard error.
void say(const Message &m);

// "No space left on device" for ENOSPC and so on, for the errors that file operations return.
const char *errorText(int error);

} // namespace ada
