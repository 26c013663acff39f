// What to do if the program's limit leaves no descriptor for a file of the trace.
#pragma once

#include <errno.h>

namespace ada::runtime {

// Calls `open`, which returns 0 or a negative errno, and calls it again if there were no descriptors left and
// `closeOthers` has closed some. Returns what it returned last.
template <class Open, class Close> int withDescriptors(Open &&open, Close &&closeOthers) {
  const int error = open();
  return (error == -EMFILE || error == -ENFILE) && closeOthers() ? open() : error;
}

} // namespace ada::runtime
