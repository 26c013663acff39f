// Makes the wrappers and points the calls at them.
#include "library_calls.h"
#include "library_functions.h"
#include "llvm_compat.h"
#include "source_text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace ada::pass {

namespace {

constexpr unsigned kResult = AttributeList::ReturnIndex, kFirst = AttributeList::FirstArgIndex,
                   kFunction = AttributeList::FunctionIndex;

/// The attributes that say in which registers, or where on the stack, a value is passed.
constexpr Attribute::AttrKind kPlaceKinds[] = {Attribute::ZExt,          Attribute::SExt,      Attribute::InReg,
                                               Attribute::ByVal,         Attribute::StructRet, Attribute::Alignment,
                                               Attribute::StackAlignment};

/// Those of OFCALL, and those of OFCALLEE where the call has none.
AttributeSet placeAttributes(LLVMContext &context, AttributeSet ofCall, AttributeSet ofCallee) {
  SmallVector<Attribute, 4> kept;
  bool isInMemory = ofCall.hasAttribute(Attribute::ByVal) || ofCallee.hasAttribute(Attribute::ByVal) ||
                    ofCall.hasAttribute(Attribute::StructRet) || ofCallee.hasAttribute(Attribute::StructRet);
  for (Attribute::AttrKind kind : kPlaceKinds) {
    if (kind == Attribute::Alignment && !isInMemory)
      continue; // on a pointer it only describes where that points
    for (AttributeSet from : {ofCall, ofCallee})
      if (from.hasAttribute(kind)) {
        kept.push_back(from.getAttribute(kind));
        break;
      }
  }
  return AttributeSet::get(context, kept);
}

/// Writes TYPE as far as it decides how a value is passed: structs by their members, not by their names, which are
/// local to a translation unit.
void describe(raw_ostream &out, Type *type) {
  if (type->isPointerTy()) {
    out << "p" << type->getPointerAddressSpace();
  } else if (auto *structure = dyn_cast<StructType>(type)) {
    out << (structure->isPacked() ? "<{" : "{");
    for (Type *element : structure->elements())
      describe(out, element);
    out << "}";
  } else if (auto *array = dyn_cast<ArrayType>(type)) {
    out << "[" << array->getNumElements() << "x";
    describe(out, array->getElementType());
    out << "]";
  } else {
    out << *type << ",";
  }
}

void describe(raw_ostream &out, const DataLayout &layout, Type *type, AttributeSet attributes) {
  describe(out, type);
  for (const Attribute &attribute : attributes) {
    if (!attribute.isTypeAttribute())
      out << attribute.getAsString();
    else if (Type *inMemory = attribute.getValueAsType())
      out << attribute.getKindAsEnum() << ":" << layout.getTypeAllocSize(inMemory).getKnownMinValue();
    out << ";";
  }
}

/// Why CALL has to stay as it is; null if it can be wrapped.
const char *whyNotWrapped(const CallBase &call) {
  if (call.isMustTailCall())
    return "a musttail call";
  if (call.hasOperandBundles() || isa<CallBrInst>(call))
    return "a call with operands of a special kind";
  if (call.hasFnAttr(Attribute::ReturnsTwice))
    return "it returns twice";
  if (call.getCallingConv() != CallingConv::C)
    return "not called with C's calling convention";
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    Type *type = call.getArgOperand(i)->getType();
    if (type->isTokenTy() || type->isMetadataTy() || type->isX86_AMXTy())
      return "an argument can't be stored in memory";
    for (Attribute::AttrKind kind : {Attribute::InAlloca, Attribute::Preallocated, Attribute::ByRef, Attribute::Nest,
                                     Attribute::SwiftSelf, Attribute::SwiftError, Attribute::SwiftAsync})
      if (call.paramHasAttr(i, kind))
        return "an argument is passed in a special way";
  }
  return nullptr;
}

/// Whether CALL, of libc's `syscall`, is known to be a system call that makes no process.
bool makesNoProcess(const CallBase &call) { return !mayMakeProcess(call); }

/// Attributes by which the code of a function depends on how its translation unit is compiled.
constexpr const char *kTargetAttributes[] = {"target-cpu", "target-features", "tune-cpu", "use-soft-float"};

} // namespace

Function *LibraryCalls::wrapperOf(CallBase &call, Function &callee) {
  LLVMContext &context = module_.getContext();
  const DataLayout &layout = module_.getDataLayout();
  FunctionType *calledType = call.getFunctionType();
  // A call whose type differs from the declaration's (C without prototypes) has only its own attributes.
  const bool isAsDeclared = calledType == callee.getFunctionType();
  const AttributeList ofCall = call.getAttributes(), ofCallee = isAsDeclared ? callee.getAttributes() : AttributeList();
  const bool isNoReturn = call.doesNotReturn();
  const bool isNoProcess = symbolName(callee) == "syscall" && makesNoProcess(call);
  const Function &caller = *call.getFunction();

  std::string key;
  raw_string_ostream out(key);
  AttributeSet ofResult = placeAttributes(context, ofCall.getAttributes(kResult), ofCallee.getAttributes(kResult));
  describe(out, layout, call.getType(), ofResult);
  SmallVector<Type *, 8> types;
  SmallVector<AttributeSet, 8> attributes;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    types.push_back(call.getArgOperand(i)->getType());
    attributes.push_back(
        placeAttributes(context, ofCall.getAttributes(kFirst + i), ofCallee.getAttributes(kFirst + i)));
    describe(out, layout, types.back(), attributes.back());
  }
  if (calledType->isVarArg())
    out << "..." << calledType->getNumParams();
  out << (isNoReturn ? "N" : "") << (isNoProcess ? "P" : "") << (call.isStrictFP() ? "F" : "");
  for (const char *name : kTargetAttributes)
    out << "|" << caller.getFnAttribute(name).getValueAsString();
  out.flush();

  std::string name = "__ada_call." + symbolName(callee).str() + "." + utohexstr(MD5Hash(key), /*LowerCase=*/true);
  if (Function *made = module_.getFunction(name))
    return made;
  auto *wrapper =
      Function::createWithDefaultAttr(FunctionType::get(call.getType(), types, false), GlobalValue::LinkOnceODRLinkage,
                                      layout.getProgramAddressSpace(), name, &module_);
  wrapper->setVisibility(GlobalValue::HiddenVisibility);
  wrapper->setDSOLocal(true);
  wrapper->setComdat(module_.getOrInsertComdat(name));
  wrapper->setAttributes(
      AttributeList::get(context, wrapper->getAttributes().getAttributes(kFunction), ofResult, attributes));
  setWrappedCallee(*wrapper, callee);
  wrapper->addFnAttr(Attribute::NoInline);
  for (Attribute::AttrKind kind : {Attribute::UWTable, Attribute::NoRedZone, Attribute::NoImplicitFloat})
    if (caller.hasFnAttribute(kind))
      wrapper->addFnAttr(caller.getFnAttribute(kind));
  for (const char *attribute : kTargetAttributes)
    if (caller.hasFnAttribute(attribute))
      wrapper->addFnAttr(caller.getFnAttribute(attribute));
  SmallVector<Attribute, 4> kept{Attribute::get(context, Attribute::NoBuiltin)}; // the wrapper calls the function
  if (isNoReturn) {
    wrapper->addFnAttr(Attribute::NoReturn);
    kept.push_back(Attribute::get(context, Attribute::NoReturn));
  }
  if (call.isStrictFP()) {
    wrapper->addFnAttr(Attribute::StrictFP);
    kept.push_back(Attribute::get(context, Attribute::StrictFP));
  }
  if (isNoProcess)
    kept.push_back(Attribute::get(context, kAttrMakesNoProcess));
  if (call.doesNotThrow()) { // removed by wrap() if another call may throw
    wrapper->addFnAttr(Attribute::NoUnwind);
    kept.push_back(Attribute::get(context, Attribute::NoUnwind));
  }

  IRBuilder<> builder(BasicBlock::Create(context, "", wrapper));
  SmallVector<Value *, 8> arguments;
  for (Argument &argument : wrapper->args())
    arguments.push_back(&argument);
  CallInst *inner = builder.CreateCall(calledType, call.getCalledOperand(), arguments);
  inner->setAttributes(AttributeList::get(context, AttributeSet::get(context, kept), ofResult, attributes));
  if (isNoReturn)
    builder.CreateUnreachable();
  else if (call.getType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(inner);
  return wrapper;
}

SmallVector<Function *, 16> LibraryCalls::wrap(ArrayRef<Function *> callers) {
  SmallVector<Function *, 16> made;
  if (!filter_.hasCalls())
    return made;
  LLVMContext &context = module_.getContext();
  SmallVector<CallBase *, 32> calls;
  for (Function *caller : callers)
    for (Instruction &instruction : instructions(caller))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (auto *callee = dyn_cast<Function>(call->getCalledOperand()->stripPointerCasts()))
          if (callee->isDeclaration() && !callee->isIntrinsic())
            calls.push_back(call);
  for (CallBase *call : calls) {
    auto *callee = cast<Function>(call->getCalledOperand()->stripPointerCasts());
    auto [known, isNew] = callees_.try_emplace(callee);
    Callee &entry = known->second;
    if (isNew)
      entry.reason = filter_.reasonAgainstCallsOf(*callee);
    if (!entry.reason.empty())
      continue;
    if (const char *because = whyNotWrapped(*call)) {
      ++entry.left;
      entry.leftBecause = because;
      continue;
    }
    ++entry.wrapped;
    Function *wrapper = wrapperOf(*call, *callee);
    if (!wrapper->hasFnAttribute(kAttrInstrumented) && !is_contained(made, wrapper))
      made.push_back(wrapper);
    if (!call->doesNotThrow() && wrapper->doesNotThrow()) {
      wrapper->removeFnAttr(Attribute::NoUnwind);
      for (Instruction &instruction : instructions(wrapper))
        if (auto *inner = dyn_cast<CallBase>(&instruction))
          compat::removeAttribute(*inner, Attribute::NoUnwind);
    }
    // The callee's attributes (memory(…), allockind(…)) are not true of the wrapper.
    const AttributeList attributes = call->getAttributes();
    const AttributeSet ofFunction = attributes.getAttributes(kFunction);
    SmallVector<Attribute, 4> kept;
    for (Attribute::AttrKind kind :
         {Attribute::NoUnwind, Attribute::NoReturn, Attribute::NoMerge, Attribute::StrictFP, Attribute::Cold})
      if (ofFunction.hasAttribute(kind))
        kept.push_back(ofFunction.getAttribute(kind));
    SmallVector<AttributeSet, 8> ofArguments;
    for (unsigned i = 0; i < call->arg_size(); ++i)
      ofArguments.push_back(
          attributes.getAttributes(kFirst + i).addAttributes(context, compat::parameterAttributes(*wrapper, i)));
    call->setCalledFunction(wrapper->getFunctionType(), wrapper);
    call->setAttributes(AttributeList::get(
        context, AttributeSet::get(context, kept),
        attributes.getAttributes(kResult).addAttributes(context, wrapper->getAttributes().getAttributes(kResult)),
        ofArguments));
  }
  return made;
}

void LibraryCalls::explain(function_ref<bool(const Function &)> isCandidate) const {
  for (const Function &function : module_) {
    if (!function.isDeclaration() || function.isIntrinsic() || compat::startsWith(function.getName(), "__ada_") ||
        !isCandidate(function) || !filter_.isAskedFor(function))
      continue;
    auto line = [&](const Twine &text) {
      errs() << "AdaTrace: " << demangledName(sourceName(function)).full << ": " << text << "\n";
    };
    auto known = callees_.find(&function);
    if (known == callees_.end()) {
      std::string reason = filter_.reasonAgainstCallsOf(function);
      line("not traced: " + (reason.empty() ? "no traced function calls it here" : reason));
      continue;
    }
    const Callee &callee = known->second;
    if (!callee.reason.empty())
      line("not traced: " + callee.reason);
    if (callee.wrapped)
      line("traced where it is called: " + Twine(callee.wrapped) + (callee.wrapped == 1 ? " call" : " calls"));
    if (callee.left)
      line(Twine(callee.left) + (callee.left == 1 ? " call" : " calls") + " not traced: " + callee.leftBecause);
  }
}

} // namespace ada::pass
