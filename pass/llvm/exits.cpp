// Finds the exits of a function and places hooks there.
#include "exits.h"
#include "llvm_compat.h"
#include "source_text.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace ada::pass {

void insertSeldom(Value *value, Instruction *before, const DebugLoc &location,
                  function_ref<void(IRBuilder<> &)> write) {
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(location);
  Value *isTrue = builder.CreateICmpNE(value, Constant::getNullValue(value->getType()));
  // The other case must be fast: the hook moves out of the way, along with whatever has to be saved around it.
  MDNode *seldom = MDBuilder(before->getContext()).createBranchWeights(1, (1u << 20) - 1);
  Instruction *end = SplitBlockAndInsertIfThen(isTrue, before, /*Unreachable=*/false, seldom);
  end->setDebugLoc(location);
  cast<BranchInst>(end->getParent()->getSinglePredecessor()->getTerminator())->setDebugLoc(location);
  builder.SetInsertPoint(end);
  builder.SetCurrentDebugLocation(location);
  write(builder);
}

void insertGuarded(const Frame &frame, Instruction *before, const DebugLoc &location,
                   function_ref<void(IRBuilder<> &)> write) {
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(location);
  if (frame.isRecorded)
    return write(builder);
  insertSeldom(builder.CreateTrunc(frame.enabled, builder.getInt8Ty()), before, location, write);
}

//===--- Unwinding --------------------------------------------------------===//

bool Unwinding::isPossibleIn(const Function &function) {
  // Windows and WebAssembly have funclets instead of landing pads.
  if (function.hasPersonalityFn() && isScopedEHPersonality(classifyEHPersonality(function.getPersonalityFn())))
    return false;
  // Without an unwind table the unwinder cannot get past this function, so it is never left that way.
  return !function.doesNotThrow() || function.hasUWTable();
}

Unwinding::Unwinding(Module &module) : module_(module) {
  exceptionsOff_ = none_of(module, [](const Function &function) {
    return !function.isDeclaration() && (!function.doesNotThrow() || function.hasPersonalityFn());
  });
  for (bool changed = true; changed;) {
    changed = false;
    for (const Function &function : module) {
      if (function.isDeclaration() || !function.doesNotThrow() || leaving_.count(&function) || !isPossibleIn(function))
        continue;
      for (const BasicBlock &block : function) {
        if (!any_of(block, [&](const Instruction &instruction) {
              const auto *call = dyn_cast<CallInst>(&instruction);
              return call && mayLeave(*call);
            }))
          continue;
        leaving_.insert(&function);
        changed = true;
        break;
      }
    }
  }
}

bool Unwinding::mayLeave(const CallInst &call) const {
  if (isa<IntrinsicInst>(call) || call.isMustTailCall())
    return false;
  if (const auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return assembly->canThrow() && !call.doesNotThrow();
  const Function *callee = call.getCalledFunction();
  if (callee && callee->doesNotThrow() && !leaving_.count(callee))
    return false;
  return exceptionsOff_ ||
         !call.getAttributes().getAttributes(AttributeList::FunctionIndex).hasAttribute(Attribute::NoUnwind);
}

Constant *Unwinding::choosePersonality() {
  // Functions with different personalities are not inlined into each other, so this takes the one that the other
  // functions of the module have, or would have. Other languages than C++ need not be linked with their own (Rust's is
  // in std), but always are with C's, which runs cleanups for the exceptions of any language.
  bool isCxxWithExceptions = false;
  for (const Function &function : module_) {
    if (function.hasPersonalityFn())
      return function.getPersonalityFn();
    isCxxWithExceptions |=
        !function.isDeclaration() && !function.doesNotThrow() && manglingOf(symbolName(function)) == Mangling::Cpp;
  }
  FunctionType *type = FunctionType::get(Type::getInt32Ty(module_.getContext()), /*isVarArg=*/true);
  StringRef name = isCxxWithExceptions ? "__gxx_personality_v0" : "__gcc_personality_v0";
  return compat::asPointer(cast<Constant>(module_.getOrInsertFunction(name, type).getCallee()));
}

void Unwinding::ensurePersonality(Function &function) {
  if (function.hasPersonalityFn())
    return;
  if (!personality_)
    personality_ = choosePersonality();
  function.setPersonalityFn(personality_);
}

//===--- Exits ------------------------------------------------------------===//

/// Whether the unwinder runs PAD for every exception.
static bool takesEverything(const LandingPadInst &pad) {
  if (pad.isCleanup())
    return true;
  for (unsigned i = 0; i < pad.getNumClauses(); ++i)
    if (pad.isCatch(i) && isa<ConstantPointerNull>(pad.getClause(i)->stripPointerCasts()))
      return true;
  return false;
}

Exits::Exits(Function &function, Unwinding *unwinding)
    : function_(function), unwinding_(unwinding && Unwinding::isPossibleIn(function) ? unwinding : nullptr),
      padType_(StructType::get(compat::pointerType(function.getContext()), Type::getInt32Ty(function.getContext()))) {
  for (BasicBlock &block : function) {
    Instruction *end = block.getTerminator();
    if (isa<ReturnInst>(end)) {
      if (CallInst *tail = block.getTerminatingMustTailCall())
        end = tail;
      else if (CallInst *deoptimize = block.getTerminatingDeoptimizeCall())
        end = deoptimize;
      returns_.push_back(end);
    }
    if (!this->unwinding_)
      continue;
    if (isa<ResumeInst>(end))
      resumes_.push_back(end);
    for (Instruction &instruction : block) {
      if (auto *pad = dyn_cast<LandingPadInst>(&instruction)) {
        padType_ = pad->getType(); // one type for all pads of a function
        if (!takesEverything(*pad))
          selectivePads_.push_back(pad);
      } else if (auto *call = dyn_cast<CallInst>(&instruction)) {
        if (this->unwinding_->mayLeave(*call))
          calls_.push_back(call);
      }
    }
  }
}

/// The location of code without a line of its own, in the scope of FUNCTION.
static DebugLoc artificialLocation(const Function &function) {
  DISubprogram *subprogram = function.getSubprogram();
  return subprogram ? DebugLoc(DILocation::get(function.getContext(), 0, 0, subprogram)) : DebugLoc();
}

bool Exits::endOtherwise() const {
  return any_of(returns_, [](const Instruction *end) { return !isa<ReturnInst>(end); });
}

void Exits::instrument(Hooks &hooks, Frame &frame) {
  auto locationOf = [&](Instruction *instruction) {
    return instruction->getDebugLoc() ? instruction->getDebugLoc() : artificialLocation(function_);
  };
  for (Instruction *end : returns_) {
    insertGuarded(frame, end, locationOf(end),
                  [&](IRBuilder<> &builder) { hooks.exit(builder, function_, end, frame); });
  }
  // No branch: the hook knows whether the function is switched on, and unwinding is slow anyway.
  for (Instruction *resume : resumes_) {
    IRBuilder<> builder(resume);
    builder.SetCurrentDebugLocation(locationOf(resume));
    hooks.unwind(builder, frame);
  }
  for (LandingPadInst *pad : selectivePads_)
    instrumentPad(pad, hooks, frame);
  if (calls_.empty())
    return;

  // From here on the function does unwind.
  function_.removeFnAttr(Attribute::NoUnwind);
  unwinding_->ensurePersonality(function_);
  BasicBlock *pad = makeCleanupPad(hooks, frame);
  for (CallInst *call : calls_) {
    compat::removeAttribute(*call, Attribute::NoUnwind);
    changeToInvokeAndSplitBasicBlock(call, pad);
  }
}

/// Puts `if (selector == 0) { hook; resume; }` at the start of PAD's block, and makes PAD a cleanup.
void Exits::instrumentPad(LandingPadInst *pad, Hooks &hooks, const Frame &frame) {
  pad->setCleanup(true);
  Instruction *next = pad->getNextNode();
  DebugLoc location = artificialLocation(function_);
  IRBuilder<> builder(next);
  builder.SetCurrentDebugLocation(location);
  Value *selector = builder.CreateExtractValue(pad, 1);
  Value *isCleanup = builder.CreateICmpEQ(selector, ConstantInt::get(selector->getType(), 0));
  Instruction *end = SplitBlockAndInsertIfThen(isCleanup, next, /*Unreachable=*/true);
  builder.SetInsertPoint(end);
  builder.SetCurrentDebugLocation(location);
  hooks.unwind(builder, frame);
  builder.CreateResume(pad);
  end->eraseFromParent();
}

BasicBlock *Exits::makeCleanupPad(Hooks &hooks, const Frame &frame) {
  LLVMContext &context = function_.getContext();
  BasicBlock *block = BasicBlock::Create(context, "ada.unwind", &function_);
  IRBuilder<> builder(block);
  DebugLoc location = artificialLocation(function_);
  builder.SetCurrentDebugLocation(location);
  LandingPadInst *pad = builder.CreateLandingPad(padType_, 0);
  pad->setCleanup(true);
  hooks.unwind(builder, frame);
  builder.CreateResume(pad);
  return block;
}

} // namespace ada::pass
