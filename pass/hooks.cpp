// Declares and calls the hooks; forwards what travels in registers.
#include "hooks.h"
#include "argument_registers.h"
#include "coroutines.h"
#include "llvm_compat.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <ada/abi.h>

using namespace llvm;

namespace ada {

namespace {

/// How the extension of a narrow argument is promised; all else that attributes say (noundef, nonnull, …) is left
/// behind.
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

Function *Hooks::declare(StringRef name, FunctionType *type, bool readsFrame) {
  Function *function = module_.getFunction(name);
  if (!function) {
    function = Function::Create(type, GlobalValue::ExternalLinkage, name, module_);
    function->addFnAttr(Attribute::NoUnwind);
    // Through the GOT: the dynamic linker's lazy resolver would not preserve the nest register.
    function->addFnAttr(Attribute::NonLazyBind);
    if (!readsFrame)
      compat::setInaccessibleMemOnly(*function);
  }
  return function;
}

void Hooks::call(IRBuilder<> &builder, StringRef name, Value *entry, ArrayRef<Argument> arguments, Reads reads) {
  LLVMContext &context = module_.getContext();
  Type *nothing = Type::getVoidTy(context);
  SmallVector<Type *, 8> types{entry->getType()};
  SmallVector<Value *, 8> values{entry};
  AttributeSet nest = AttributeSet::get(context, {Attribute::get(context, Attribute::Nest)});
  AttributeSet ofCall = AttributeSet::get(context, {Attribute::get(context, Attribute::NoUnwind)});
  // Not kept: other calls of the function can still be tail calls.
  if (reads != Reads::Nothing)
    nest = nest.addAttributes(context, AttributeSet::get(context, {compat::noCapture(context)}));
  if (reads == Reads::Frame)
    ofCall = ofCall.addAttributes(context, AttributeSet::get(context, {compat::onlyArgumentMemory(context)}));
  SmallVector<AttributeSet, 8> attributes{nest};
  for (const Argument &argument : arguments) {
    types.push_back(argument.value->getType());
    values.push_back(argument.value);
    attributes.push_back(argument.attributes);
  }
  std::string symbol = name.str();
  Triple triple = compat::targetTriple(module_);
  if (triple.isAArch64())
    symbol += compat::aarch64HookSuffix().str();
  Function *hook = declare(symbol, FunctionType::get(nothing, {entry->getType()}, false), reads != Reads::Nothing);
  hook->setCallingConv(CallingConv::PreserveMost);
  if (!hook->hasParamAttribute(0, Attribute::Nest))
    hook->addParamAttr(0, Attribute::Nest);
  FunctionType *type = FunctionType::get(nothing, types, false);
  FunctionCallee callee = compat::calleeOfType(hook, type);
  if (compat::ignoresNonLazyBind(triple)) {
    // The same thing by hand: a pointer that is relocated when the image is loaded. Volatile, so that it stays a load.
    std::string pointerName = symbol + "_address";
    GlobalVariable *pointer = module_.getNamedGlobal(pointerName);
    if (!pointer)
      pointer = new GlobalVariable(module_, compat::pointerType(context), /*isConstant=*/true,
                                   GlobalValue::PrivateLinkage, compat::asPointer(hook), pointerName);
    Value *address = builder.CreateLoad(compat::pointerType(context), pointer, /*isVolatile=*/true);
    callee = {type, builder.CreatePointerCast(address, callee.getCallee()->getType())};
  }
  CallInst *call = builder.CreateCall(callee, values);
  call->setCallingConv(CallingConv::PreserveMost);
  call->setAttributes(AttributeList::get(context, ofCall, AttributeSet(), attributes));
}

DetailFrame Hooks::makeDetailFrame(Function &function, Value *enabled, bool endsOtherwise) {
  IRBuilder<> builder(&*function.getEntryBlock().begin());
  AllocaInst *memory =
      builder.CreateAlloca(ArrayType::get(builder.getInt64Ty(), sizeof(ada_detail_frame) / 8), nullptr, "ada.detail");
  memory->setAlignment(Align(16));
  AllocaInst *coroutine = keepCoroutineFrame(function);
  return {memory, enabled, endsOtherwise || coroutine || resultBytesInMemory(function) > 0, coroutine};
}

void Hooks::storeInFrame(IRBuilder<> &builder, const DetailFrame &detail, Value *value, uint64_t offset) {
  Value *frame = builder.CreatePointerCast(detail.memory, compat::pointerType(module_.getContext()));
  Value *at = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), frame, offset);
  builder.CreateAlignedStore(value, builder.CreatePointerCast(at, compat::pointerTo(value->getType())), Align(1));
}

/// Stores what include/ada/abi.h lists; `memory` aside.
void Hooks::fillDetailFrame(IRBuilder<> &builder, const DetailFrame &detail, Constant *entry) {
  bool isAArch64 = compat::targetTriple(module_).isAArch64();
  Function *stack = compat::intrinsic(module_, isAArch64 ? Intrinsic::sponentry : Intrinsic::addressofreturnaddress,
                                      {compat::pointerType(module_.getContext())});
  storeInFrame(builder, detail, entry, offsetof(ada_detail_frame, function));
  storeInFrame(builder, detail, builder.CreateCall(stack, {}), offsetof(ada_detail_frame, sp));
  if (isAArch64) // on x86-64 it is what `sp` points to
    storeInFrame(builder, detail,
                 builder.CreateCall(compat::intrinsic(module_, Intrinsic::returnaddress), {builder.getInt32(0)}),
                 offsetof(ada_detail_frame, return_address));
}

/// The address of what is in memory, where BUILDER stands; null if nothing is.
Value *Hooks::addressOf(IRBuilder<> &builder, const InMemory &inMemory) {
  PointerType *pointer = compat::pointerType(module_.getContext());
  if (inMemory.isResultPointer)
    return builder.CreatePointerCast(inMemory.result, pointer);
  if (!inMemory.result && !inMemory.isVariadicList)
    return nullptr;
  IRBuilder<> top(&*builder.GetInsertBlock()->getParent()->getEntryBlock().begin());
  // System V's va_list has 24 bytes, AAPCS64's 32.
  Type *type = inMemory.result ? inMemory.result->getType() : ArrayType::get(top.getInt64Ty(), 4);
  AllocaInst *memory = top.CreateAlloca(type, nullptr, inMemory.result ? "ada.result" : "ada.va");
  memory->setAlignment(Align(16));
  Value *address = builder.CreatePointerCast(memory, pointer);
  if (inMemory.result)
    builder.CreateAlignedStore(inMemory.result, memory, Align(16));
  else
    builder.CreateCall(compat::variadicIntrinsic(module_, Intrinsic::vastart), {address});
  return address;
}

void Hooks::callEither(IRBuilder<> &builder, StringRef name, Constant *entry, ArrayRef<Argument> arguments,
                       DetailFrame *detail, Carried carried, InMemory inMemory) {
  if (!detail)
    return call(builder, name, entry, arguments);
  Instruction *place = &*builder.GetInsertPoint();
  DebugLoc location = builder.getCurrentDebugLocation();
  Value *wanted = builder.CreateICmpUGT(detail->enabled, builder.getInt8(ADA_ENABLE_INDEX));
  Instruction *detailEnd = nullptr, *indexEnd = nullptr;
  SplitBlockAndInsertIfThenElse(wanted, place, &detailEnd, &indexEnd,
                                MDBuilder(module_.getContext()).createBranchWeights(1, 1000));
  for (Instruction *end : {detailEnd, indexEnd, detailEnd->getParent()->getSinglePredecessor()->getTerminator()})
    end->setDebugLoc(location);
  builder.SetInsertPoint(indexEnd);
  builder.SetCurrentDebugLocation(location);
  call(builder, name, entry, arguments);

  builder.SetInsertPoint(detailEnd);
  builder.SetCurrentDebugLocation(location);
  PointerType *pointer = compat::pointerType(module_.getContext());
  Value *memory = addressOf(builder, inMemory);
  if (inMemory.isExit) {
    if (detail->isSetAtExit)
      storeInFrame(builder, *detail,
                   memory                ? memory
                   : inMemory.isNoResult ? ConstantExpr::getIntToPtr(builder.getInt64(1), pointer) // ADA_NO_RESULT
                                         : ConstantPointerNull::get(pointer),
                   offsetof(ada_detail_frame, memory));
    if (!inMemory.isNoResult)
      detail->carried |= carried.general << 8 | carried.vector << 12 | inMemory.resultBytes << 16;
    detail->carried |= detail->isSetAtExit ? ADA_CARRIED_AT_EXIT : 0;
  } else {
    fillDetailFrame(builder, *detail, entry);
    if (memory)
      storeInFrame(builder, *detail, memory, offsetof(ada_detail_frame, memory));
    detail->carried |= carried.general | carried.vector << 4 | (memory ? ADA_CARRIED_VARIADIC : 0);
  }
  call(builder, (name + "_detail").str(), builder.CreatePointerCast(detail->memory, pointer), arguments,
       memory ? Reads::FrameAndMore : Reads::Frame);
  if (inMemory.isVariadicList)
    builder.CreateCall(compat::variadicIntrinsic(module_, Intrinsic::vaend), {memory});
  builder.SetInsertPoint(place);
  builder.SetCurrentDebugLocation(location);
}

void Hooks::enter(IRBuilder<> &builder, Constant *entry, Function &function, DetailFrame *detail) {
  LLVMContext &context = module_.getContext();
  bool isAArch64 = compat::targetTriple(module_).isAArch64();
  ArgumentRegisters registers(function);
  SmallVector<Argument, 8> forwarded;
  for (llvm::Argument &argument : function.args()) {
    AttributeSet from = function.getAttributes().getParamAttrs(argument.getArgNo());
    ArgumentPlace place = registers.place(argument.getType(), from);
    if (place == ArgumentPlace::Unknown)
      break;
    AttributeSet attributes = abiAttributes(context, from);
    // In x8 beside the ordinary arguments; LLVM accepts that in the first two places only.
    bool isInX8 = isAArch64 && from.hasAttribute(Attribute::StructRet) && forwarded.empty();
    if (isInX8)
      attributes =
          attributes.addAttributes(context, AttributeSet::get(context, {from.getAttribute(Attribute::StructRet)}));
    else if (place != ArgumentPlace::Registers) // what is passed over takes no register from those behind it
      continue;
    if (argument.getType()->isPointerTy())
      attributes = pointerAttributes(context, attributes);
    forwarded.push_back({&argument, attributes});
  }
  callEither(builder, "__ada_enter", entry, forwarded, detail, {registers.generalTaken(), registers.vectorTaken()},
             {.isVariadicList = function.isVarArg()});
}

void Hooks::exit(IRBuilder<> &builder, Constant *entry, Function &function, Instruction *end, DetailFrame *detail) {
  LLVMContext &context = module_.getContext();
  ArgumentRegisters registers(function);
  if (isCoroutinePart(function)) { // as if it returned that
    registers.place(compat::pointerType(context), AttributeSet());
    return callEither(builder, "__ada_exit", entry, {{nextCoroutine(end), pointerAttributes(context, AttributeSet())}},
                      detail, {registers.generalTaken(), registers.vectorTaken()}, {.isExit = true});
  }
  auto *ret = dyn_cast<ReturnInst>(end);
  Value *value = ret ? ret->getReturnValue() : nullptr;
  if (!value || registers.place(value->getType(), AttributeSet()) != ArgumentPlace::Registers) {
    InMemory inMemory{.isExit = true, .isNoResult = !ret};
    if (unsigned bytes = ret ? resultBytesInMemory(function) : 0) {
      inMemory.result = value ? value : function.getArg(0), inMemory.resultBytes = bytes;
      inMemory.isResultPointer = !value;
    } else if (ret && detail && detail->coroutine)
      inMemory.result = detail->coroutine, inMemory.resultBytes = 8, inMemory.isResultPointer = true;
    return callEither(builder, "__ada_exit", entry, {}, detail, {}, inMemory);
  }
  AttributeSet attributes = abiAttributes(context, function.getAttributes().getRetAttrs());
  if (value->getType()->isPointerTy())
    attributes = pointerAttributes(context, attributes);
  InMemory inMemory{.isExit = true};
  if (detail && detail->coroutine)
    inMemory.result = detail->coroutine, inMemory.resultBytes = 8, inMemory.isResultPointer = true;
  callEither(builder, "__ada_exit", entry, {{value, attributes}}, detail,
             {registers.generalTaken(), registers.vectorTaken()}, inMemory);
}

void Hooks::unwind(IRBuilder<> &builder, Constant *entry) { call(builder, "__ada_unwind", entry, {}); }

Value *Hooks::plainCall(IRBuilder<> &builder, StringRef name, ArrayRef<Value *> arguments, Type *result) {
  SmallVector<Type *, 1> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionType *type = FunctionType::get(result ? result : builder.getVoidTy(), types, false);
  Function *function = module_.getFunction(name);
  if (!function) {
    function = Function::Create(type, GlobalValue::ExternalLinkage, name, module_);
    function->addFnAttr(Attribute::NoUnwind);
  }
  return builder.CreateCall(compat::calleeOfType(function, type), arguments);
}

void Hooks::withFrame(IRBuilder<> &builder, StringRef name) {
  Function *frameAddress =
      compat::intrinsic(module_, Intrinsic::frameaddress, {compat::pointerType(module_.getContext())});
  plainCall(builder, name, {builder.CreateCall(frameAddress, {builder.getInt32(0)})});
}

void Hooks::beforeExec(IRBuilder<> &builder) { plainCall(builder, "__ada_before_exec", {}); }
void Hooks::afterExec(IRBuilder<> &builder) { plainCall(builder, "__ada_after_exec", {}); }
void Hooks::beforeClone(IRBuilder<> &builder) { plainCall(builder, "__ada_before_clone", {}); }

void Hooks::beforeExit(IRBuilder<> &builder, Value *status) { plainCall(builder, "__ada_before_exit", {status}); }

Value *Hooks::fiberToken(IRBuilder<> &builder, bool leaves) {
  return plainCall(builder, leaves ? "__ada_fiber_leave" : "__ada_fiber_current", {},
                   compat::pointerType(module_.getContext()));
}

void Hooks::fiberResume(IRBuilder<> &builder, Value *token) { plainCall(builder, "__ada_fiber_resume", {token}); }

void Hooks::fiberMake(IRBuilder<> &builder, Value *context) {
  PointerType *pointer = compat::pointerType(module_.getContext());
  plainCall(builder, "__ada_fiber_make", {builder.CreatePointerCast(context, pointer)});
}

} // namespace ada
