// Copies functions, and hands calls to the copies.
#include "recorded_copy.h"
#include "coroutines.h"
#include "exits.h"
#include "llvm_compat.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace ada::pass {

/// Whether TEXT, of inline assembly, may define a symbol, which can't be there twice.
static bool mayDefineSymbol(StringRef text) {
  for (size_t at = text.find(':'); at != StringRef::npos; at = text.find(':', at + 1)) {
    const bool isOperand = at >= 2 && text.substr(at - 2, 3) == "${:"; // "${:uid}": a number of its own for each copy
    const bool isNumbered = at > 0 && isDigit(text[at - 1]);
    if (!isOperand && !isNumbered)
      return true;
  }
  return text.contains(".set") || text.contains("${:uid}");
}

StringRef reasonAgainstCopy(const Function &function) {
  if (function.hasOptNone()) // LLVM 14 for AArch64 passed wrong arguments there; and nobody counts instructions
    return "it is not optimized";
  if (function.isVarArg())
    return "it takes variable arguments";
  if (isCoroutinePart(function) || makesCoroutine(function))
    return "it is a coroutine";
  for (const Argument &argument : function.args())
    if (argument.hasPassPointeeByValueCopyAttr())
      return "it takes a struct on the stack";
  for (const BasicBlock &block : function) {
    if (block.hasAddressTaken())
      return "it has labels whose address is taken";
    for (const Instruction &instruction : block) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      if (!call)
        continue;
      const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand());
      if (isa<CallBrInst>(call) || call->cannotDuplicate() || (assembly && mayDefineSymbol(assembly->getAsmString())))
        return "it has assembly that can't be there twice";
      const Function *callee = call->getCalledFunction();
      if (callee && callee->getIntrinsicID() == Intrinsic::localescape)
        return "its variables are used by another function";
    }
  }
  return "";
}

/// The attributes of FUNCTION's parameters and result, which a tail call of its copy must have, too.
static AttributeList callAttributes(const Function &function) {
  SmallVector<AttributeSet, 8> parameters;
  for (const Argument &argument : function.args())
    parameters.push_back(compat::parameterAttributes(function, argument.getArgNo()));
  AttributeSet result = function.getAttributes().getAttributes(AttributeList::ReturnIndex);
  return AttributeList::get(function.getContext(), AttributeSet(), result, parameters);
}

Function &makeRecordedCopy(Function &function, GlobalVariable &enable, Instruction *start, const DebugLoc &location) {
  ValueToValueMapTy map;
  Function *copy = CloneFunction(&function, map);
  copy->setName(function.getName() + ".recorded");
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setDSOLocal(true);
  copy->setComdat(function.getComdat());
  copy->removeFnAttr(Attribute::AlwaysInline);
  copy->removeFnAttr(Attribute::InlineHint);
  copy->addFnAttr(Attribute::NoInline);

  IRBuilder<> builder(start);
  builder.SetCurrentDebugLocation(location);
  insertSeldom(readEnabled(builder, enable), start, location, [&](IRBuilder<> &seldom) {
    SmallVector<Value *, 8> arguments;
    for (Argument &argument : function.args())
      arguments.push_back(&argument);
    CallInst *call = seldom.CreateCall(copy, arguments);
    call->setTailCallKind(CallInst::TCK_MustTail);
    call->setCallingConv(function.getCallingConv());
    call->setAttributes(callAttributes(function));
    Instruction *end = call->getNextNode(); // the branch back
    call->getType()->isVoidTy() ? seldom.CreateRetVoid() : seldom.CreateRet(call);
    end->eraseFromParent();
  });
  return *copy;
}

} // namespace ada::pass
