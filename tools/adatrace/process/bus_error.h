// A file that becomes shorter while it is read: an error message instead of a crash.
#ifndef ADATRACE_BUS_ERROR_H
#define ADATRACE_BUS_ERROR_H

#include <functional>

namespace ada::cli {

/// Call once, before any file is opened.
void handleBusErrors();

/// `cleanUp` is called before a bus error ends the program; null for none. For what a destructor would do otherwise.
void setBusErrorCleanup(std::function<void()> cleanUp);

} // namespace ada::cli
#endif // ADATRACE_BUS_ERROR_H
