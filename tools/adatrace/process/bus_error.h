// Turns the crash on a file that shrinks while it is read into an error message.
#pragma once

#include <functional>

namespace ada::cli {

/// Call once, before any file is opened.
void handleBusErrors();

/// `cleanUp` is called before a bus error ends the program, to do the work of destructors that then don't run. Null for
/// none.
void setBusErrorCleanup(std::function<void()> cleanUp);

} // namespace ada::cli
