// Types and places of a function's parameters and result, as docs/types.md writes them.
//
// The types come from debug information, the places from the function's own lowered signature. The two are matched by
// what the platform's calling convention makes of each type. Where they do not fit together, neither the parameter nor
// those behind it have a place: nothing is guessed.
#ifndef ADA_PASS_TYPE_TEXT_H
#define ADA_PASS_TYPE_TEXT_H

#include "argument_registers.h"

#include <string>

namespace llvm {
class Function;
}

namespace ada {

/// Before the optimizer: notes in FUNCTION which parameters its lowered parameters are, if it is one whose signature
/// the optimizer may change.
void numberParameters(llvm::Function &function);

/// The text for ada_function.types_off; "" without debug information. POINTEES: with the layout of what pointers and
/// references point to. STACK: as the entry hook is told.
std::string typesText(const llvm::Function &function, bool pointees, StackArguments stack);

} // namespace ada

#endif
