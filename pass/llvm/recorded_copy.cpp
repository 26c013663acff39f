// Copies functions, and hands calls to the copies.
#include "recorded_copy.h"
#include "coroutines.h"
#include "exits.h"
#include "llvm_compat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace ada::pass {

/// Whether TEXT, of inline assembly, may define a symbol, which can't be there twice. Numbered labels can.
static bool mayDefineSymbol(StringRef text) {
  for (size_t at = text.find(':'); at != StringRef::npos; at = text.find(':', at + 1))
    if (at == 0 || !isDigit(text[at - 1]))
      return true;
  return text.contains(".set");
}

/// Whether INSTRUCTION can be there twice, and in another function than it was written in.
static bool canBeCopied(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return true;
  const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand());
  return !isa<CallBrInst>(call) && !call->cannotDuplicate() && call->getIntrinsicID() != Intrinsic::localescape &&
         !(assembly && mayDefineSymbol(assembly->getAsmString()));
}

bool canHaveCopy(const Function &function) {
  // At -O0, LLVM 14 for AArch64 passed wrong arguments to copies; and there, nobody counts instructions.
  if (function.hasOptNone() || function.isVarArg() || isCoroutinePart(function) || makesCoroutine(function))
    return false;
  if (any_of(function.args(), [](const Argument &argument) { return argument.hasPassPointeeByValueCopyAttr(); }))
    return false; // on the stack, where not every backend hands it over
  return all_of(function, [](const BasicBlock &block) {
    return !block.hasAddressTaken() && all_of(block, canBeCopied); // a table of labels stays that of the function
  });
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
