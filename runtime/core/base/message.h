// The runtime's messages: one line on standard error, "AdaTrace: …".
#pragma once

#include "text.h"

namespace ada::runtime {

using Message = Text<1024>;

// Async-signal-safe. Not for the drain thread, which has no standard error. Nothing is written if standard error is
// not the file that it was at the start: see standard_error.h.
void say(const Message &m);
// "MESSAGE; next: adatrace tree PATH". A command that does not fit is left out, because a part of it would not run.
void sayWithCommand(const Message &m, const char *command, const char *path);
// The same without "AdaTrace: ".
void sayLine(Message line);

// "No space left on device" for ENOSPC and so on, for the errors that file operations return.
const char *errorText(int error);

} // namespace ada::runtime
