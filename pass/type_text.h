// type_text.h - types and registers of a function's parameters and result, as docs/types.md writes them.
//
// The types come from debug information, the registers from the function's own lowered signature. The two are matched by what the
// platform's calling convention makes of each type; where they do not fit together, the parameter has no registers and
// neither have those behind it: nothing is guessed.
#ifndef ADA_PASS_TYPE_TEXT_H
#define ADA_PASS_TYPE_TEXT_H

#include <string>

namespace llvm {
class Function;
}

namespace ada {

/// The text for ada_function.types_off; "" without debug information.
std::string typesText(const llvm::Function &function);

} // namespace ada

#endif
