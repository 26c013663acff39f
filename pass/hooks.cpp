// hooks.cpp - declares and calls the hooks; decides how many arguments travel in registers.
#include "hooks.h"
#include "llvm_compat.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <ada/abi.h>

using namespace llvm;

namespace ada {

namespace {

/// Counts argument registers, so that nothing that is forwarded to a hook is ever pushed on the stack: that would cost
/// instructions, and the trampoline looks at registers only. Where conventions are subtle (wide vectors, 128-bit
/// integers) it counts too many rather than too few: forwarding one argument less is harmless.
class RegisterBudget {
  bool isAArch64;
  unsigned general, vector = 8;

public:
  explicit RegisterBudget(const Triple &triple)
      : isAArch64(triple.isAArch64()), general(triple.isAArch64() ? 8 : 6) {}

  unsigned takenGeneral() const { return (isAArch64 ? 8 : 6) - general; }
  unsigned takenVector() const { return 8 - vector; }

  bool take(Type *type) {
    unsigned needGeneral = 0, needVector = 0;
    if (!count(type, needGeneral, needVector) || needGeneral > general || needVector > vector)
      return false;
    general -= needGeneral;
    vector -= needVector;
    return true;
  }

private:
  bool count(Type *type, unsigned &needGeneral, unsigned &needVector) const {
    if (auto *integer = dyn_cast<IntegerType>(type)) {
      if (integer->getBitWidth() > 128)
        return false;
      // AArch64 begins a 128-bit integer in an even register: the one skipped counts.
      needGeneral += integer->getBitWidth() <= 64 ? 1 : isAArch64 ? 3 : 2;
      return true;
    }
    if (type->isPointerTy()) {
      ++needGeneral;
      return type->getPointerAddressSpace() == 0;
    }
    if (type->isFloatTy() || type->isDoubleTy() || type->isFP128Ty()) {
      ++needVector;
      return true;
    }
    if (type->isHalfTy() || type->isBFloatTy()) { // a vector or a general register, depending on the LLVM version
      ++needGeneral;
      ++needVector;
      return true;
    }
    if (auto *fixed = dyn_cast<FixedVectorType>(type))
      return countVector(fixed, needVector);
    if (auto *structure = dyn_cast<StructType>(type)) {
      if (structure->isOpaque())
        return false;
      for (Type *element : structure->elements())
        if (!count(element, needGeneral, needVector))
          return false;
      return true;
    }
    if (auto *array = dyn_cast<ArrayType>(type)) {
      if (array->getNumElements() > 8)
        return false;
      for (uint64_t i = 0; i < array->getNumElements(); ++i)
        if (!count(array->getElementType(), needGeneral, needVector))
          return false;
      return true;
    }
    return false; // x87 long double, scalable vectors, target types: on the stack or unknown
  }

  /// Plain vectors only; each 128 bits count as a register even where there are wider ones.
  static bool countVector(FixedVectorType *vector, unsigned &needVector) {
    Type *element = vector->getElementType();
    unsigned bits = element->getPrimitiveSizeInBits();
    bool isPlain = element->isFloatTy() || element->isDoubleTy() || element->isIntegerTy(8) ||
                   element->isIntegerTy(16) || element->isIntegerTy(32) || element->isIntegerTy(64);
    unsigned count = vector->getNumElements();
    if (!isPlain || count < 2 || (count & (count - 1)) || count * bits < 64)
      return false;
    needVector += (count * bits + 127) / 128;
    return true;
  }
};

/// How the extension of a narrow argument is promised; all else that attributes say (noundef, nonnull, …) is left behind.
AttributeSet abiAttributes(LLVMContext &context, AttributeSet from) {
  SmallVector<Attribute, 2> kept;
  for (Attribute::AttrKind kind : {Attribute::ZExt, Attribute::SExt, Attribute::InReg})
    if (from.hasAttribute(kind))
      kept.push_back(from.getAttribute(kind));
  return AttributeSet::get(context, kept);
}

/// The runtime stores pointers as numbers. Saying so leaves optimizers free with the objects they point to.
AttributeSet pointerAttributes(LLVMContext &context, AttributeSet from) {
  return from.addAttribute(context, Attribute::ReadNone)
      .addAttributes(context, AttributeSet::get(context, {compat::noCapture(context)}));
}

} // namespace

Function *Hooks::declare(StringRef name, FunctionType *type) {
  Function *function = module.getFunction(name);
  if (!function) {
    function = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
    function->addFnAttr(Attribute::NoUnwind);
    // Through the GOT: the dynamic linker's lazy resolver would not preserve the nest register.
    function->addFnAttr(Attribute::NonLazyBind);
    compat::setInaccessibleMemOnly(*function);
  }
  return function;
}

void Hooks::call(IRBuilder<> &builder, StringRef name, Value *entry, ArrayRef<Argument> arguments) {
  LLVMContext &context = module.getContext();
  Type *nothing = Type::getVoidTy(context);
  SmallVector<Type *, 8> types{entry->getType()};
  SmallVector<Value *, 8> values{entry};
  SmallVector<AttributeSet, 8> attributes{AttributeSet::get(context, {Attribute::get(context, Attribute::Nest)})};
  for (const Argument &argument : arguments) {
    types.push_back(argument.value->getType());
    values.push_back(argument.value);
    attributes.push_back(argument.attributes);
  }
  std::string symbol = name.str();
  Triple triple = compat::targetTriple(module);
  if (triple.isAArch64())
    symbol += compat::aarch64HookSuffix().str();
  Function *hook = declare(symbol, FunctionType::get(nothing, {entry->getType()}, false));
  hook->setCallingConv(CallingConv::PreserveMost);
  if (!hook->hasParamAttribute(0, Attribute::Nest))
    hook->addParamAttr(0, Attribute::Nest);
  FunctionType *type = FunctionType::get(nothing, types, false);
  FunctionCallee callee = compat::calleeOfType(hook, type);
  if (compat::ignoresNonLazyBind(triple)) {
    // The same thing by hand: a pointer that is relocated when the image is loaded. Volatile, so that it stays a load.
    std::string pointerName = symbol + "_address";
    GlobalVariable *pointer = module.getNamedGlobal(pointerName);
    if (!pointer)
      pointer = new GlobalVariable(module, compat::pointerType(context), /*isConstant=*/true,
                                   GlobalValue::PrivateLinkage, compat::asPointer(hook), pointerName);
    Value *address = builder.CreateLoad(compat::pointerType(context), pointer, /*isVolatile=*/true);
    callee = {type, builder.CreatePointerCast(address, callee.getCallee()->getType())};
  }
  CallInst *call = builder.CreateCall(callee, values);
  call->setCallingConv(CallingConv::PreserveMost);
  call->setAttributes(AttributeList::get(
      context, AttributeSet::get(context, {Attribute::get(context, Attribute::NoUnwind)}), AttributeSet(), attributes));
}

DetailFrame Hooks::makeDetailFrame(Function &function, Value *enabled) {
  IRBuilder<> builder(&*function.getEntryBlock().begin());
  AllocaInst *memory =
      builder.CreateAlloca(ArrayType::get(builder.getInt64Ty(), sizeof(ada_detail_frame) / 8), nullptr, "ada.detail");
  memory->setAlignment(Align(16));
  return {memory, enabled};
}

/// Stores what include/ada/abi.h lists.
void Hooks::fillDetailFrame(IRBuilder<> &builder, const DetailFrame &detail, Constant *entry, Carried carried,
                            Value *variadic) {
  LLVMContext &context = module.getContext();
  PointerType *pointer = compat::pointerType(context);
  Value *frame = builder.CreatePointerCast(detail.memory, pointer);
  auto store = [&](Value *value, uint64_t offset) {
    Value *at = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), frame, offset);
    builder.CreateAlignedStore(value, builder.CreatePointerCast(at, compat::pointerTo(value->getType())), Align(1));
  };
  bool isAArch64 = compat::targetTriple(module).isAArch64();
  Function *stack = compat::intrinsic(
      module, isAArch64 ? Intrinsic::sponentry : Intrinsic::addressofreturnaddress, {pointer});
  Function *returnAddress = compat::intrinsic(module, Intrinsic::returnaddress);
  store(entry, offsetof(ada_detail_frame, function));
  store(builder.CreateCall(stack, {}), offsetof(ada_detail_frame, sp));
  store(builder.CreateCall(returnAddress, {builder.getInt32(0)}), offsetof(ada_detail_frame, return_address));
  store(variadic ? variadic : ConstantPointerNull::get(pointer), offsetof(ada_detail_frame, variadic));
  store(builder.getInt8(carried.general), offsetof(ada_detail_frame, integers));
  store(builder.getInt8(carried.vector), offsetof(ada_detail_frame, vectors));
}

void Hooks::callEither(IRBuilder<> &builder, StringRef name, Constant *entry, ArrayRef<Argument> arguments,
                       const DetailFrame *detail, Carried carried, bool isVariadicEntry) {
  if (!detail)
    return call(builder, name, entry, arguments);
  Instruction *place = &*builder.GetInsertPoint();
  DebugLoc location = builder.getCurrentDebugLocation();
  Value *wanted = builder.CreateICmpUGT(detail->enabled, builder.getInt8(ADA_ENABLE_INDEX));
  Instruction *detailEnd = nullptr, *indexEnd = nullptr;
  SplitBlockAndInsertIfThenElse(wanted, place, &detailEnd, &indexEnd,
                                MDBuilder(module.getContext()).createBranchWeights(1, 1000));
  for (Instruction *end : {detailEnd, indexEnd, detailEnd->getParent()->getSinglePredecessor()->getTerminator()})
    end->setDebugLoc(location);
  builder.SetInsertPoint(indexEnd);
  builder.SetCurrentDebugLocation(location);
  call(builder, name, entry, arguments);

  builder.SetInsertPoint(detailEnd);
  builder.SetCurrentDebugLocation(location);
  Value *list = nullptr;
  PointerType *pointer = compat::pointerType(module.getContext());
  if (isVariadicEntry) {
    // System V's va_list has 24 bytes, AAPCS64's 32.
    Function *function = place->getFunction();
    IRBuilder<> top(&*function->getEntryBlock().begin());
    AllocaInst *memory = top.CreateAlloca(ArrayType::get(top.getInt64Ty(), 4), nullptr, "ada.va");
    memory->setAlignment(Align(16));
    list = builder.CreatePointerCast(memory, pointer);
    builder.CreateCall(compat::variadicIntrinsic(module, Intrinsic::vastart), {list});
  }
  fillDetailFrame(builder, *detail, entry, carried, list);
  call(builder, (name + "_detail").str(), builder.CreatePointerCast(detail->memory, pointer), arguments);
  if (list)
    builder.CreateCall(compat::variadicIntrinsic(module, Intrinsic::vaend), {list});
  builder.SetInsertPoint(place);
  builder.SetCurrentDebugLocation(location);
}

void Hooks::enter(IRBuilder<> &builder, Constant *entry, Function &function, const DetailFrame *detail) {
  LLVMContext &context = module.getContext();
  Triple triple = compat::targetTriple(module);
  RegisterBudget budget(triple);
  SmallVector<Argument, 8> forwarded;
  for (llvm::Argument &argument : function.args()) {
    AttributeSet from = function.getAttributes().getParamAttrs(argument.getArgNo());
    // These travel in registers of their own, which no hook looks at.
    if (from.hasAttribute(Attribute::Nest) || from.hasAttribute(Attribute::SwiftSelf) ||
        from.hasAttribute(Attribute::SwiftError) || from.hasAttribute(Attribute::SwiftAsync))
      continue;
    // These are on the stack; what follows them could be forwarded, but would no longer be "the first n".
    if (argument.hasPassPointeeByValueCopyAttr() || from.hasAttribute(Attribute::ByRef))
      break;
    AttributeSet attributes = abiAttributes(context, from);
    if (from.hasAttribute(Attribute::StructRet) && triple.isAArch64()) {
      // In x8 beside the ordinary arguments; LLVM accepts that in the first two places only.
      if (!forwarded.empty())
        break;
      attributes = attributes.addAttributes(
          context, AttributeSet::get(context, {from.getAttribute(Attribute::StructRet)}));
    } else if (!budget.take(argument.getType())) {
      break;
    }
    if (argument.getType()->isPointerTy())
      attributes = pointerAttributes(context, attributes);
    forwarded.push_back({&argument, attributes});
  }
  callEither(builder, "__ada_enter", entry, forwarded, detail, {budget.takenGeneral(), budget.takenVector()},
             function.isVarArg());
}

void Hooks::exit(IRBuilder<> &builder, Constant *entry, Function &function, Value *value, const DetailFrame *detail) {
  LLVMContext &context = module.getContext();
  RegisterBudget budget(compat::targetTriple(module));
  if (!value || !budget.take(value->getType()))
    return callEither(builder, "__ada_exit", entry, {}, detail, {}, false);
  AttributeSet attributes = abiAttributes(context, function.getAttributes().getRetAttrs());
  if (value->getType()->isPointerTy())
    attributes = pointerAttributes(context, attributes);
  callEither(builder, "__ada_exit", entry, {{value, attributes}}, detail,
             {budget.takenGeneral(), budget.takenVector()}, false);
}

void Hooks::unwind(IRBuilder<> &builder, Constant *entry) { call(builder, "__ada_unwind", entry, {}); }

void Hooks::plainCall(IRBuilder<> &builder, StringRef name, ArrayRef<Value *> arguments) {
  SmallVector<Type *, 1> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionType *type = FunctionType::get(builder.getVoidTy(), types, false);
  Function *function = module.getFunction(name);
  if (!function) {
    function = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
    function->addFnAttr(Attribute::NoUnwind);
  }
  builder.CreateCall(compat::calleeOfType(function, type), arguments);
}

void Hooks::withFrame(IRBuilder<> &builder, StringRef name) {
  Function *frameAddress = compat::intrinsic(module, Intrinsic::frameaddress, {compat::pointerType(module.getContext())});
  plainCall(builder, name, {builder.CreateCall(frameAddress, {builder.getInt32(0)})});
}

void Hooks::beforeExec(IRBuilder<> &builder) { plainCall(builder, "__ada_before_exec", {}); }

void Hooks::beforeExit(IRBuilder<> &builder, Value *status) { plainCall(builder, "__ada_before_exit", {status}); }

} // namespace ada
