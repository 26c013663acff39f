// hooks.cpp - declares and calls the hooks; forwards what travels in registers.
#include "hooks.h"
#include "argument_registers.h"
#include "llvm_compat.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <ada/abi.h>

using namespace llvm;

namespace ada {

namespace {

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

Function *Hooks::declare(StringRef name, FunctionType *type, bool readsFrame) {
  Function *function = module.getFunction(name);
  if (!function) {
    function = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
    function->addFnAttr(Attribute::NoUnwind);
    // Through the GOT: the dynamic linker's lazy resolver would not preserve the nest register.
    function->addFnAttr(Attribute::NonLazyBind);
    if (!readsFrame)
      compat::setInaccessibleMemOnly(*function);
  }
  return function;
}

void Hooks::call(IRBuilder<> &builder, StringRef name, Value *entry, ArrayRef<Argument> arguments, Reads reads) {
  LLVMContext &context = module.getContext();
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
  Triple triple = compat::targetTriple(module);
  if (triple.isAArch64())
    symbol += compat::aarch64HookSuffix().str();
  Function *hook = declare(symbol, FunctionType::get(nothing, {entry->getType()}, false),
                           reads != Reads::Nothing);
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
  call->setAttributes(AttributeList::get(context, ofCall, AttributeSet(), attributes));
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
  call(builder, (name + "_detail").str(), builder.CreatePointerCast(detail->memory, pointer), arguments,
       list ? Reads::FrameAndList : Reads::Frame);
  if (list)
    builder.CreateCall(compat::variadicIntrinsic(module, Intrinsic::vaend), {list});
  builder.SetInsertPoint(place);
  builder.SetCurrentDebugLocation(location);
}

void Hooks::enter(IRBuilder<> &builder, Constant *entry, Function &function, const DetailFrame *detail) {
  LLVMContext &context = module.getContext();
  bool isAArch64 = compat::targetTriple(module).isAArch64();
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
      attributes = attributes.addAttributes(
          context, AttributeSet::get(context, {from.getAttribute(Attribute::StructRet)}));
    else if (place == ArgumentPlace::Elsewhere) // what is passed over takes no register from those behind it
      continue;
    if (argument.getType()->isPointerTy())
      attributes = pointerAttributes(context, attributes);
    forwarded.push_back({&argument, attributes});
  }
  callEither(builder, "__ada_enter", entry, forwarded, detail, {registers.generalTaken(), registers.vectorTaken()},
             function.isVarArg());
}

void Hooks::exit(IRBuilder<> &builder, Constant *entry, Function &function, Value *value, const DetailFrame *detail) {
  LLVMContext &context = module.getContext();
  ArgumentRegisters registers(function);
  if (!value || registers.place(value->getType(), AttributeSet()) != ArgumentPlace::Registers)
    return callEither(builder, "__ada_exit", entry, {}, detail, {}, false);
  AttributeSet attributes = abiAttributes(context, function.getAttributes().getRetAttrs());
  if (value->getType()->isPointerTy())
    attributes = pointerAttributes(context, attributes);
  callEither(builder, "__ada_exit", entry, {{value, attributes}}, detail,
             {registers.generalTaken(), registers.vectorTaken()}, false);
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
