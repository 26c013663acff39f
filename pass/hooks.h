// The calls into the runtime: their declarations, convention and forwarded arguments.
//
// include/ada/abi.h has the contract. A hook's call looks to the compiler like
//     call preserve_mostcc void @__ada_enter(ptr nest @entry, i64 %arg0, double %arg1, …)
// where the arguments are the function's own: at its entry they are in the right registers already, so that forwarding
// them costs no instruction, and the trampoline sees what the caller passed.
#ifndef ADA_PASS_HOOKS_H
#define ADA_PASS_HOOKS_H

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace ada {

/// Where a function's activation tells the runtime of itself when its detail is recorded: an ada_detail_frame.
struct DetailFrame {
  llvm::AllocaInst *memory;
  llvm::Value *enabled;                  // the enable byte's value
  bool isSetAtExit = false;              // exits say where the result is
  llvm::AllocaInst *coroutine = nullptr; // the frame of a coroutine that the function creates; recorded like a result
                                         // in memory where there is none
  uint32_t carried = 0;                  // for ada_function, gathered while hooks are made
};

class Hooks {
public:
  explicit Hooks(llvm::Module &module) : module_(module) {}

  /// Memory for FUNCTION's detail frame, with its static allocas; ENABLED is known where hooks are called.
  /// ENDS_OTHERWISE: there are exits that return nothing, although the function does.
  DetailFrame makeDetailFrame(llvm::Function &function, llvm::Value *enabled, bool endsOtherwise);

  /// `__ada_enter(entry, FUNCTION's arguments)`; with DETAIL (may be null), where the enable byte says so,
  /// `__ada_enter_detail(frame, FUNCTION's arguments)` instead. BUILDER stays behind both.
  void enter(llvm::IRBuilder<> &builder, llvm::Constant *entry, llvm::Function &function, DetailFrame *detail);
  /// `__ada_exit(entry, value)`, likewise, before END: with the value that FUNCTION returns there, if END is a
  /// ReturnInst.
  void exit(llvm::IRBuilder<> &builder, llvm::Constant *entry, llvm::Function &function, llvm::Instruction *end,
            DetailFrame *detail);
  void unwind(llvm::IRBuilder<> &builder, llvm::Constant *entry);

  void markFrame(llvm::IRBuilder<> &builder) { withFrame(builder, "__ada_mark_frame"); }
  void resync(llvm::IRBuilder<> &builder) { withFrame(builder, "__ada_resync"); }
  void beforeExec(llvm::IRBuilder<> &builder);
  void afterExec(llvm::IRBuilder<> &builder);
  void beforeExit(llvm::IRBuilder<> &builder, llvm::Value *status);
  void beforeClone(llvm::IRBuilder<> &builder);

  /// The token of the stack that control is on, before a call that may LEAVE it, or only save where it is.
  llvm::Value *fiberToken(llvm::IRBuilder<> &builder, bool leaves);
  void fiberResume(llvm::IRBuilder<> &builder, llvm::Value *token);
  void fiberMake(llvm::IRBuilder<> &builder, llvm::Value *context);

private:
  llvm::Module &module_;

  struct Argument {
    llvm::Value *value;
    llvm::AttributeSet attributes;
  };
  /// Registers that carry what is forwarded.
  struct Carried {
    unsigned general = 0, vector = 0;
  };
  /// What a detail hook finds in memory, and the frame refers to.
  struct InMemory {
    bool isExit = false, isNoResult = false;
    bool isVariadicList = false;
    llvm::Value *result = nullptr; // the result, or, if it is `sret`, a pointer to it; null: none in memory
    unsigned resultBytes = 0;
    bool isResultPointer = false;
  };
  /// Memory of the program that a hook reads. Optimizers are told: what nobody reads, they don't store.
  enum class Reads { Nothing, Frame, FrameAndMore };
  void call(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::Value *nest, llvm::ArrayRef<Argument> arguments,
            Reads reads = Reads::Nothing);
  void callEither(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::Constant *entry,
                  llvm::ArrayRef<Argument> arguments, DetailFrame *detail, Carried carried, InMemory inMemory);
  llvm::Value *addressOf(llvm::IRBuilder<> &builder, const InMemory &inMemory);
  void fillDetailFrame(llvm::IRBuilder<> &builder, const DetailFrame &detail, llvm::Constant *entry);
  void storeInFrame(llvm::IRBuilder<> &builder, const DetailFrame &detail, llvm::Value *value, uint64_t offset);
  llvm::Value *plainCall(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments,
                         llvm::Type *result = nullptr);
  void withFrame(llvm::IRBuilder<> &builder, llvm::StringRef name);
  llvm::Function *declare(llvm::StringRef name, llvm::FunctionType *type, bool readsFrame);
};

} // namespace ada

#endif
