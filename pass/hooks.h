// hooks.h - the calls into the runtime: their declarations, convention and forwarded arguments.
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
  llvm::Value *enabled; // the enable byte's value
};

class Hooks {
public:
  explicit Hooks(llvm::Module &module) : module(module) {}

  /// Memory for FUNCTION's detail frame, with its static allocas; ENABLED is known where hooks are called.
  DetailFrame makeDetailFrame(llvm::Function &function, llvm::Value *enabled);

  /// `__ada_enter(entry, FUNCTION's arguments)`; with DETAIL (may be null), where the enable byte says so,
  /// `__ada_enter_detail(frame, FUNCTION's arguments)` instead. BUILDER stays behind both.
  void enter(llvm::IRBuilder<> &builder, llvm::Constant *entry, llvm::Function &function, const DetailFrame *detail);
  /// `__ada_exit(entry, VALUE)`, likewise; VALUE, which FUNCTION returns, may be null.
  void exit(llvm::IRBuilder<> &builder, llvm::Constant *entry, llvm::Function &function, llvm::Value *value,
            const DetailFrame *detail);
  void unwind(llvm::IRBuilder<> &builder, llvm::Constant *entry);

  void markFrame(llvm::IRBuilder<> &builder) { withFrame(builder, "__ada_mark_frame"); }
  void resync(llvm::IRBuilder<> &builder) { withFrame(builder, "__ada_resync"); }
  void beforeExec(llvm::IRBuilder<> &builder);
  void beforeExit(llvm::IRBuilder<> &builder, llvm::Value *status);

private:
  llvm::Module &module;

  struct Argument {
    llvm::Value *value;
    llvm::AttributeSet attributes;
  };
  /// Registers that carry what is forwarded.
  struct Carried {
    unsigned general = 0, vector = 0;
  };
  /// Memory of the program that a hook reads. Optimizers are told: what nobody reads, they don't store.
  enum class Reads { Nothing, Frame, FrameAndList };
  void call(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::Value *nest, llvm::ArrayRef<Argument> arguments,
            Reads reads = Reads::Nothing);
  void callEither(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::Constant *entry,
                  llvm::ArrayRef<Argument> arguments, const DetailFrame *detail, Carried carried, bool isVariadicEntry);
  void fillDetailFrame(llvm::IRBuilder<> &builder, const DetailFrame &detail, llvm::Constant *entry, Carried carried,
                       llvm::Value *variadic);
  void plainCall(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments);
  void withFrame(llvm::IRBuilder<> &builder, llvm::StringRef name);
  llvm::Function *declare(llvm::StringRef name, llvm::FunctionType *type, bool readsFrame);
};

} // namespace ada

#endif
