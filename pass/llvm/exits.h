// The ways out of a function, and the hooks on them.
//
// A call ends by one of
//   ret               __ada_exit(frame, value)
//   a musttail call   __ada_exit(frame), before the call: the callee returns to our caller
//   unwinding         __ada_unwind(frame), from a landing pad
// Unwinding leaves a function at four kinds of places, and each needs something else:
//   - a `resume`: the hook comes before it;
//   - a call outside any invoke: it becomes an invoke of a cleanup pad that calls the hook and resumes;
//   - an invoke of a pad that does not take this exception (a handler of other types, no cleanup): the unwinder skips
//     the pad, so the pad becomes a cleanup too, and selector 0, which means "cleanup", goes to the hook;
//   - nothing at all where the function is really nounwind, or a pad ends in std::terminate.
// clang marks C functions `nounwind`, which only means that they have no landing pads: pthread_exit, cancellation and
// exceptions of C++ callbacks do pass through them, using their unwind tables. So a nounwind function that has an
// unwind table and calls something that may unwind counts as one that unwinds: it gets a personality and loses its
// nounwind.
#pragma once

#include "hooks.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ada::pass {

/// Inserts a branch to a rarely taken block that runs before BEFORE if VALUE is not 0, and lets WRITE fill the block.
/// The new instructions get LOCATION.
void insertSeldom(llvm::Value *value, llvm::Instruction *before, const llvm::DebugLoc &location,
                  llvm::function_ref<void(llvm::IRBuilder<> &)> write);
/// The same if FRAME's enable byte is not 0.
void insertGuarded(const Frame &frame, llvm::Instruction *before, const llvm::DebugLoc &location,
                   llvm::function_ref<void(llvm::IRBuilder<> &)> write);

/// Knows which calls of a module may be left by unwinding.
class Unwinding {
public:
  explicit Unwinding(llvm::Module &module);

  /// Whether unwinding can leave CALL, which is not an invoke, and with it the function.
  bool mayLeave(const llvm::CallInst &call) const;
  /// Whether FUNCTION may have landing pads of ours.
  static bool isPossibleIn(const llvm::Function &function);
  /// The personality of FUNCTION's landing pads; sets one if it has none.
  void ensurePersonality(llvm::Function &function);

private:
  llvm::Module &module_;
  /// Compiled without exceptions: clang then marks every definition nounwind and, when it optimizes, every call.
  bool exceptionsOff_;
  llvm::DenseSet<const llvm::Function *> leaving_; // nounwind by attribute only
  llvm::Constant *personality_ = nullptr;

  llvm::Constant *choosePersonality();
};

/// The ways out of one function, collected before it is changed.
class Exits {
public:
  Exits(llvm::Function &function, Unwinding *unwinding);

  /// Places the hooks. FRAME's enable byte must be available in the whole function.
  void instrument(Hooks &hooks, Frame &frame);
  /// Whether control can leave in other ways than by returning a value.
  bool endOtherwise() const;

private:
  llvm::Function &function_;
  Unwinding *unwinding_; // null: unwinding is not recorded
  llvm::Type *padType_;
  llvm::SmallVector<llvm::Instruction *, 4> returns_; // ret, or the musttail call before it
  llvm::SmallVector<llvm::Instruction *, 4> resumes_;
  llvm::SmallVector<llvm::LandingPadInst *, 4> selectivePads_;
  llvm::SmallVector<llvm::CallInst *, 16> calls_;

  void instrumentPad(llvm::LandingPadInst *pad, Hooks &hooks, const Frame &frame);
  llvm::BasicBlock *makeCleanupPad(Hooks &hooks, const Frame &frame);
};

} // namespace ada::pass
