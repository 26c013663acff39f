// Types and places of a function's parameters and result, as docs/reference/types.md writes them.
//
// The types come from debug information, the places from the function's own lowered signature. The two are matched by
// what the platform's calling convention makes of each type. If they don't fit together, that parameter and all later
// ones have no place: nothing is guessed.
#pragma once

#include "argument_registers.h"

#include <string>

namespace llvm {
class Function;
}

namespace ada {

/// Runs before the optimizer: notes in FUNCTION which source parameters its lowered parameters are, if the optimizer
/// may change its signature.
void numberParameters(llvm::Function &function);

/// The text for ada_function.types_off; "" without debug information. POINTEES: includes the layout of what pointers
/// and references point to. STACK: how the entry hook gets arguments on the stack.
std::string typesText(const llvm::Function &function, bool pointees, StackArguments stack);

} // namespace ada
