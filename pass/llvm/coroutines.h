// The functions that LLVM makes of a coroutine: the one that creates it, and f.resume, f.destroy, f.cleanup.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace ada::pass {

/// Whether FUNCTION is a part that a coroutine was split into, which runs each time the coroutine continues or ends.
/// Its only argument is the coroutine's frame. Its debug information describes the coroutine instead.
bool isCoroutinePart(const llvm::Function &function);

/// Whether FUNCTION creates a coroutine that was split.
bool makesCoroutine(const llvm::Function &function);

/// Gives FUNCTION, if it creates a coroutine, a variable with the address of the coroutine's frame, which is null until
/// there is a frame. Returns null if FUNCTION creates no coroutine.
llvm::AllocaInst *keepCoroutineFrame(llvm::Function &function);

/// The frame of the coroutine that runs instead of this one from END on, a way out of a part; a null pointer if control
/// returns to the caller that resumed this one.
llvm::Value *nextCoroutine(llvm::Instruction *end);

} // namespace ada::pass
