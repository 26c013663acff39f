// The calls into the runtime: their declarations, convention and forwarded arguments.
//
// include/ada/abi.h has the contract. A hook's call looks to the compiler like
//     call preserve_mostcc void @__ada_enter(ptr nest %frame+%on, i64 %arg0, double %arg1, …)
// where %frame is the activation's ada_frame, %on the enable byte's value, and the arguments are the function's own: at
// its entry they are in the right registers already, so that forwarding them costs no instruction, and the trampoline
// sees what the caller passed.
//
// Where a hook may end up in another function, or the optimizer may still change the signature of its own (hooks before
// inlining, LTO), the stack that it finds is not the one that the table describes. There the values of arguments on the
// stack are forwarded as well, as vectors behind the others (StackArguments::Forwarded). And optimizers would drop
// stores that only the hook reads, of strings for example: there they are told that it does read them.
#ifndef ADA_PASS_HOOKS_H
#define ADA_PASS_HOOKS_H

#include "argument_registers.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace ada {

/// Where a function's activation tells the runtime of itself: an ada_frame.
struct Frame {
  llvm::AllocaInst *memory;
  llvm::Value *enabled;                  // the enable byte's value, as wide as a pointer
  bool isSetAtExit = false;              // exits say where the result is
  llvm::AllocaInst *coroutine = nullptr; // the frame of a coroutine that the function creates; recorded like a result
                                         // in memory where there is none
  uint32_t carried = 0;                  // for ada_function, gathered while hooks are made
};

class Hooks {
public:
  /// STACK: how entry hooks are told of arguments on the stack.
  Hooks(llvm::Module &module, StackArguments stack) : module_(module), stack_(stack) {}

  /// Memory for FUNCTION's frame, with its static allocas; ENABLED is known where hooks are called.
  /// ENDS_OTHERWISE: there are exits that return nothing, although the function does.
  Frame makeFrame(llvm::Function &function, llvm::Value *enabled, bool endsOtherwise);

  /// Fills in FRAME, and `__ada_enter(frame, FUNCTION's arguments)`.
  void enter(llvm::IRBuilder<> &builder, llvm::Constant *entry, llvm::Function &function, Frame &frame);
  /// `__ada_exit(frame, value)` before END: with the value that FUNCTION returns there, if END is a ReturnInst.
  void exit(llvm::IRBuilder<> &builder, llvm::Function &function, llvm::Instruction *end, Frame &frame);
  /// `__ada_unwind(frame)`, which may be called whether the function is switched on or not.
  void unwind(llvm::IRBuilder<> &builder, const Frame &frame);

  void markFrame(llvm::IRBuilder<> &builder) { withFrame(builder, "__ada_mark_frame"); }
  void resync(llvm::IRBuilder<> &builder) { withFrame(builder, "__ada_resync"); }
  void beforeExec(llvm::IRBuilder<> &builder);
  void afterExec(llvm::IRBuilder<> &builder);
  void beforeSignalStack(llvm::IRBuilder<> &builder);
  void beforeExit(llvm::IRBuilder<> &builder, llvm::Value *status);
  void beforeThreadExit(llvm::IRBuilder<> &builder, llvm::Value *status);
  void beforeClone(llvm::IRBuilder<> &builder);

  /// The token of the stack that control is on, before a call that may LEAVE it, or only save where it is.
  llvm::Value *fiberToken(llvm::IRBuilder<> &builder, bool leaves);
  void fiberResume(llvm::IRBuilder<> &builder, llvm::Value *token);
  void fiberMake(llvm::IRBuilder<> &builder, llvm::Value *context);

private:
  llvm::Module &module_;
  StackArguments stack_;

  struct Argument {
    llvm::Value *value;
    llvm::AttributeSet attributes;
  };
  /// Registers that carry what is forwarded.
  struct Carried {
    unsigned general = 0, vector = 0;
  };
  /// A result that the exit hook finds in memory, and the frame refers to.
  struct InMemory {
    llvm::Value *result = nullptr; // or, if it is `sret`, a pointer to it; null: none in memory
    unsigned bytes = 0;
    bool isPointer = false;
  };
  /// Memory of the program that a hook reads. Optimizers are told: what nobody reads, they don't store. Contents are
  /// what pointers point to, and the pointers in there.
  enum class Reads { Frame, FrameAndMore, FrameAndContents };
  void call(llvm::IRBuilder<> &builder, llvm::StringRef name, const Frame &frame, llvm::ArrayRef<Argument> arguments,
            Reads reads);
  void callExit(llvm::IRBuilder<> &builder, llvm::ArrayRef<Argument> arguments, Frame &frame, Carried carried,
                InMemory inMemory, bool isNoResult = false);
  llvm::AttributeSet pointerAttributes(llvm::AttributeSet from) const;
  /// What a hook reads that is given ARGUMENTS.
  Reads readsOf(llvm::ArrayRef<Argument> arguments) const;
  llvm::Value *addressOf(llvm::IRBuilder<> &builder, const InMemory &inMemory);
  void fill(llvm::IRBuilder<> &builder, const Frame &frame, llvm::Constant *entry);
  void store(llvm::IRBuilder<> &builder, const Frame &frame, llvm::Value *value, uint64_t offset);
  llvm::Value *plainCall(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments,
                         llvm::Type *result = nullptr);
  void withFrame(llvm::IRBuilder<> &builder, llvm::StringRef name);
  llvm::Function *declare(llvm::StringRef name, llvm::FunctionType *type);
};

} // namespace ada

#endif
