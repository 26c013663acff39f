// Symbols of the thunks of C++: functions through which a virtual function is called with another `this` or result.
#pragma once

#include <string>

namespace ada::pass {

/// The symbol of the function that a thunk leads to: "_ZN1A1fEv" for "_ZThn16_N1A1fEv". "" if SYMBOL is not a thunk's.
/// The Itanium C++ ABI, 5.1.4, has their grammar.
std::string thunkTarget(const std::string &symbol);
/// Whether the thunk also moves the result, which is another type's.
bool movesResult(const std::string &thunk);

} // namespace ada::pass
