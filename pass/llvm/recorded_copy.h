// A copy of a function for the calls that are recorded: the function itself then needs no hooks.
//
// It hands calls to the copy while its enable byte is not 0. A call that is not recorded costs one comparison and one
// branch; otherwise, it keeps the byte in a register or on the stack until the function returns, and tests it a second
// time there. The price is code: about as much again.
#pragma once

namespace llvm {
class DebugLoc;
class Function;
class GlobalVariable;
class Instruction;
} // namespace llvm

namespace ada::pass {

/// Whether FUNCTION can have a copy. Otherwise it gets its hooks in its only body.
bool canHaveCopy(const llvm::Function &function);

/// The copy of FUNCTION, which must be unchanged so far. FUNCTION itself gets, before START, a tail call of the copy if
/// ENABLE is not 0. LOCATION: of what is added.
llvm::Function &makeRecordedCopy(llvm::Function &function, llvm::GlobalVariable &enable, llvm::Instruction *start,
                                 const llvm::DebugLoc &location);

} // namespace ada::pass
