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

// The optimizer changes the signatures of functions whose calls it all knows, so the parameters of these are numbered
// before it begins: an attribute "ada-parameter"="K/I" says that a lowered parameter is part I of the source's
// parameter K. It stays with the lowered parameter as long as that exists. An attribute of the function says which
// parameters were found, and how many bytes each of their parts has: "0,1:8+8,2:4s"; 0 is a result, and "s" marks a
// part that is shorter than its general register.
constexpr const char *kAttrParameter = "ada-parameter", *kAttrNumbered = "ada-parameters-numbered";

/// Runs before the optimizer: notes in FUNCTION which source parameters its lowered parameters are, if the optimizer
/// may change its signature.
void numberParameters(llvm::Function &function);

/// The text for ada_function.types_off; "" without debug information. POINTEES: includes the layout of what pointers
/// and references point to. STACK: how the entry hook gets arguments on the stack.
std::string typesText(const llvm::Function &function, bool pointees, StackArguments stack);

/// Whether callers that see FUNCTION's body know that it reads nothing that its lowered parameter NUMBER points to.
/// Then they need not have stored it.
bool isUnread(const llvm::Function &function, unsigned number);

} // namespace ada
