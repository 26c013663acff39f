// Types and places of a function's parameters and result, as docs/reference/types.md writes them.
//
// The places are those of the function as it is compiled, with the parameters that the optimizer has left. The
// parameters of the source are remembered before it begins. What can't be matched has no place: nothing is guessed.
#pragma once

#include "gcc_headers.h"

namespace ada::pass {

/// Remembers the parameters of all functions of the unit. Runs before the optimizer.
void rememberParameters();

/// Remembers what functions may read through their parameters, as GCC knows it at this time. Each time it learns more,
/// callers may leave out more.
void rememberLoads();

/// The text for ada_function.types_off; "" if nothing is known of FUNCTION. POINTEES: includes the layout of what
/// pointers and references point to.
std::string typesText(tree function, bool pointees);
/// The function's type as C or C++ would write it, "int (char *, unsigned long)"; "" if it is not known.
std::string signatureText(tree function);

} // namespace ada::pass
