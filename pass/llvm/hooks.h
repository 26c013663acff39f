// The calls into the runtime: their declarations, convention and forwarded arguments.
//
// include/ada/abi.h has the contract. To the compiler, a hook call looks like
//     call preserve_mostcc void @__ada_enter(ptr nest %frame+%on, i64 %arg0, double %arg1, …)
// where %frame is the activation's ada_frame, %on the enable byte's value, and the arguments are the function's own. At
// its entry they are in the right registers already, so forwarding them costs no instruction, and the trampoline sees
// what the caller passed.
//
// If a hook may end up in another function, or the optimizer may still change the signature of the hook's own function
// (hooks before inlining, LTO), the hook's stack is not the one that the table describes. Then the values of arguments
// on the stack are forwarded as well, as vectors after the other arguments (StackArguments::Forwarded). Optimizers
// would also drop stores that only the hook reads, of strings for example, so they are told that the hook reads them.
#pragma once

#include "argument_registers.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace ada::pass {

/// The ada_frame in which a function's activation describes itself to the runtime.
struct Frame {
  llvm::AllocaInst *memory;
  llvm::Value *enabled;                  // the enable byte's value, as wide as a pointer
  bool isSetAtExit = false;              // exits store where the result is
  llvm::AllocaInst *coroutine = nullptr; // the frame of a coroutine that the function creates; recorded like a result
                                         // in memory if the function has no such result
  uint32_t carried = 0;                  // for ada_function, gathered while hooks are made
  bool isRecorded = false;               // the byte is known not to be 0
};

/// Reads ENABLE, the byte of a function, once, so that a call is recorded with both its ends or not at all, whenever
/// the runtime writes it.
llvm::LoadInst *readEnabled(llvm::IRBuilder<> &builder, llvm::GlobalVariable &enable);

class Hooks {
public:
  /// STACK: how entry hooks get arguments on the stack.
  Hooks(llvm::Module &module, StackArguments stack);

  /// Makes memory for FUNCTION's frame, with its static allocas; ENABLED is available where hooks are called.
  /// ENDS_OTHERWISE: there are exits that return nothing, although the function does return a value.
  Frame makeFrame(llvm::Function &function, llvm::Value *enabled, bool endsOtherwise);

  /// Fills in FRAME, and calls `__ada_enter(frame, FUNCTION's arguments)`.
  void enter(llvm::IRBuilder<> &builder, llvm::Constant *entry, llvm::Function &function, Frame &frame);
  /// Calls `__ada_exit(frame, value)` before END, with the value that FUNCTION returns there, if END is a ReturnInst.
  void exit(llvm::IRBuilder<> &builder, llvm::Function &function, llvm::Instruction *end, Frame &frame);
  /// Calls `__ada_unwind(frame)`, which is allowed whether the function is switched on or not.
  void unwind(llvm::IRBuilder<> &builder, const Frame &frame);

  void markFrame(llvm::IRBuilder<> &builder) { withFrame(builder, "__ada_mark_frame"); }
  void resync(llvm::IRBuilder<> &builder) { withFrame(builder, "__ada_resync"); }
  /// ENABLED: null in a function that is not traced.
  void landed(llvm::IRBuilder<> &builder, llvm::Value *enabled);
  void beforeExec(llvm::IRBuilder<> &builder);
  void afterExec(llvm::IRBuilder<> &builder);
  void beforeSignalStack(llvm::IRBuilder<> &builder);
  void afterSignalStack(llvm::IRBuilder<> &builder);
  void beforeExit(llvm::IRBuilder<> &builder, llvm::Value *status);
  void beforeThreadExit(llvm::IRBuilder<> &builder, llvm::Value *status);
  void beforeClone(llvm::IRBuilder<> &builder);

  /// The token of the current stack, before a call that may LEAVE it or only saves its context.
  llvm::Value *fiberToken(llvm::IRBuilder<> &builder, bool leaves);
  /// BYJUMP: the stack that was left may have called setjmp as well.
  void fiberResume(llvm::IRBuilder<> &builder, llvm::Value *token, bool byJump);
  void fiberMake(llvm::IRBuilder<> &builder, llvm::Value *context);

private:
  llvm::Module &module_;
  StackArguments stack_;
  bool usesSymbols_; // instead of names that the assembler replaces

  struct Argument {
    llvm::Value *value;
    llvm::AttributeSet attributes;
  };
  /// Registers that carry what is forwarded.
  struct Carried {
    unsigned general = 0, vector = 0;
  };
  /// A result that the exit hook finds in memory, at the address in the frame.
  struct InMemory {
    llvm::Value *result = nullptr; // or, if it is `sret`, a pointer to it; null: none in memory
    unsigned bytes = 0;
    bool isPointer = false;
  };
  /// Memory of the program that a hook reads. Optimizers must know, because they drop stores that nothing reads.
  /// Contents are what pointers point to, and what pointers found there point to.
  enum class Reads { Frame, FrameAndMore, FrameAndContents };
  void call(llvm::IRBuilder<> &builder, llvm::StringRef name, const Frame &frame, llvm::ArrayRef<Argument> arguments,
            Reads reads);
  void callExit(llvm::IRBuilder<> &builder, llvm::ArrayRef<Argument> arguments, Frame &frame, Carried carried,
                InMemory inMemory, bool isNoResult = false);
  llvm::AttributeSet pointerAttributes(llvm::AttributeSet from) const;
  /// What a hook with these ARGUMENTS reads.
  Reads readsOf(llvm::ArrayRef<Argument> arguments) const;
  llvm::Value *addressOf(llvm::IRBuilder<> &builder, const InMemory &inMemory);
  void fill(llvm::IRBuilder<> &builder, const Frame &frame, llvm::Constant *entry);
  void store(llvm::IRBuilder<> &builder, const Frame &frame, llvm::Value *value, uint64_t offset);
  llvm::Value *plainCall(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments,
                         llvm::Type *result = nullptr);
  void withFrame(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::Value *more = nullptr);
  llvm::Function *declare(llvm::StringRef name, llvm::FunctionType *type);
};

} // namespace ada::pass
