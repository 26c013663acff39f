// Names of Objective-C's methods.
#pragma once

#include "gcc_headers.h"

#include <string>

namespace ada::pass {

/// "-[Counter add:]" if FUNCTION is a method, "" if it is none, or if its name in the source can't be told for sure.
std::string methodName(tree function);

} // namespace ada::pass
