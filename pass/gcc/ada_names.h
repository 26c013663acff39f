// Names of Ada's subprograms from the symbols that GNAT makes of them.
#pragma once

#include "gcc_headers.h"

#include <string>

namespace ada::pass {

/// SYMBOL as Ada writes it: "pack.stack.push" of "pack__stack__push__2.5". What GNAT made without a name in the source
/// ("pack__heldIP", "main___finalizer.1") has GNAT's, in the same notation. SYMBOL itself if it is not of that form.
std::string adaName(const std::string &symbol);

} // namespace ada::pass
