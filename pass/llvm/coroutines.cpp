// Recognizes the functions that a coroutine was split into.
#include "coroutines.h"
#include "llvm_compat.h"
#include "source_text.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace ada::pass {

bool isCoroutinePart(const Function &function) {
  // Don't compare the name's end: ThinLTO appends ".llvm.123".
  StringRef name = symbolName(function);
  for (StringRef part : {".resume", ".destroy", ".cleanup"}) {
    size_t at = name.rfind(part);
    StringRef behind = at == StringRef::npos || at == 0 ? StringRef("?") : name.drop_front(at + part.size());
    if (behind.empty() || compat::startsWith(behind, ".llvm."))
      return function.arg_size() == 1 && function.getArg(0)->getType()->isPointerTy() &&
             function.getReturnType()->isVoidTy() && function.getCallingConv() == CallingConv::Fast;
  }
  return false;
}

bool makesCoroutine(const Function &function) {
  const Function *resume = function.getParent()->getFunction((function.getName() + ".resume").str());
  return resume && !resume->isDeclaration() && isCoroutinePart(*resume);
}

AllocaInst *keepCoroutineFrame(Function &function) {
  if (!makesCoroutine(function))
    return nullptr;
  const Function *resume = function.getParent()->getFunction((function.getName() + ".resume").str());
  // The frame begins with the address of that function.
  StoreInst *first = nullptr;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *store = dyn_cast<StoreInst>(&instruction); store && !first)
        if (store->getValueOperand()->stripPointerCasts() == resume)
          first = store;
  if (!first)
    return nullptr;
  PointerType *pointer = compat::pointerType(function.getContext());
  IRBuilder<> top(&*function.getEntryBlock().begin());
  AllocaInst *slot = top.CreateAlloca(pointer, nullptr, "ada.coroutine");
  top.CreateStore(ConstantPointerNull::get(pointer), slot);
  IRBuilder<> builder(first->getNextNode());
  builder.CreateStore(builder.CreatePointerCast(first->getPointerOperand()->stripPointerCasts(), pointer), slot);
  return slot;
}

Value *nextCoroutine(Instruction *end) {
  auto *tail = dyn_cast<CallInst>(end);
  Value *next = tail && tail->arg_size() == 1 ? tail->getArgOperand(0) : nullptr;
  return next && next->getType()->isPointerTy() ? next
                                                : ConstantPointerNull::get(compat::pointerType(end->getContext()));
}

} // namespace ada::pass
