// Types and places of a function's parameters and result, as docs/reference/types.md writes them.
//
// The types come from debug information, the places from parameter_matcher.h.
#pragma once

#include "argument_registers.h"

#include <string>

namespace llvm {
class Function;
}

namespace ada::pass {

// The optimizer changes the signatures of functions whose calls it all knows, so the parameters of these are numbered
// before it begins: an attribute "ada-parameter"="K/I" says that a lowered parameter is part I of the source's
// parameter K. It stays with the lowered parameter as long as that exists. An attribute of the function says which
// parameters were found, and how many bytes each of their parts has: "0,1:8+8,2:4s,3:8@24"; 0 is a result, "s" marks a
// part that is shorter than its general register, and "@24" the address of a value of 24 bytes.
constexpr const char *kAttrParameter = "ada-parameter", *kAttrNumbered = "ada-parameters-numbered";

/// Runs before the optimizer: notes in FUNCTION which source parameters its lowered parameters are, if the optimizer
/// may change its signature.
void numberParameters(llvm::Function &function);

/// The text for ada_function.types_off; "" without debug information. POINTEES: includes the layout of what pointers
/// and references point to. STACK: how the entry hook gets arguments on the stack.
std::string typesText(const llvm::Function &function, bool pointees, StackArguments stack);

} // namespace ada::pass
