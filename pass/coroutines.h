// The functions that LLVM makes of a coroutine: the one that creates it, and f.resume, f.destroy, f.cleanup.
#ifndef ADA_PASS_COROUTINES_H
#define ADA_PASS_COROUTINES_H

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace ada {

/// Whether FUNCTION is what a coroutine was split into and runs each time it goes on, or ends. Its only argument is the
/// coroutine's frame, whatever its debug information says: that is the coroutine's own.
bool isCoroutinePart(const llvm::Function &function);

/// Whether FUNCTION creates a coroutine that was split.
bool makesCoroutine(const llvm::Function &function);

/// In a function that creates a coroutine: a variable with the address of its frame, null until it has one. Null if it
/// creates none.
llvm::AllocaInst *keepCoroutineFrame(llvm::Function &function);

/// The frame of the coroutine that runs in place of this one from END on, a way out of a part; a null pointer if
/// control returns to whoever resumed this one.
llvm::Value *nextCoroutine(llvm::Instruction *end);

} // namespace ada

#endif
