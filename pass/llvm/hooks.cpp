// Declares and calls the hooks; forwards what travels in registers.
#include "hooks.h"
#include "argument_registers.h"
#include "common/hook_symbol.h"
#include "coroutines.h"
#include "llvm_compat.h"
#include "rust_futures.h"
#include "site_table.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"

#include <ada/abi.h>

using namespace llvm;

namespace ada::pass {

namespace {

/// The attributes that promise how a narrow argument is extended. All others (noundef, nonnull, …) are dropped.
AttributeSet abiAttributes(LLVMContext &context, AttributeSet from) {
  SmallVector<Attribute, 2> kept;
  for (Attribute::AttrKind kind : {Attribute::ZExt, Attribute::SExt, Attribute::InReg})
    if (from.hasAttribute(kind))
      kept.push_back(from.getAttribute(kind));
  return AttributeSet::get(context, kept);
}

/// The value of an ARGUMENT that travels on the stack, in vectors of 16 bytes.
SmallVector<Value *, 4> asVectors(IRBuilder<> &builder, Argument &argument) {
  const DataLayout &layout = argument.getParent()->getParent()->getDataLayout();
  Type *vector = FixedVectorType::get(builder.getInt64Ty(), 2);
  SmallVector<Value *, 4> parts;
  const auto add = [&](Value *integer) {
    parts.push_back(builder.CreateBitCast(builder.CreateZExt(integer, builder.getInt128Ty()), vector));
  };
  if (argument.hasByValAttr()) {
    const uint64_t size = layout.getTypeAllocSize(argument.getParamByValType()).getFixedValue();
    Value *start = builder.CreatePointerCast(&argument, compat::pointerType(builder.getContext()));
    for (uint64_t at = 0; at < size; at += 16) {
      Type *type = builder.getIntNTy(unsigned(std::min<uint64_t>(16, size - at) * 8));
      Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), start, at);
      add(builder.CreateAlignedLoad(type, builder.CreatePointerCast(address, compat::pointerTo(type)), Align(1)));
    }
    return parts;
  }
  Value *value = &argument;
  const unsigned bits = unsigned(layout.getTypeSizeInBits(value->getType()).getFixedValue());
  value = value->getType()->isPointerTy() ? builder.CreatePtrToInt(value, builder.getInt64Ty())
                                          : builder.CreateBitCast(value, builder.getIntNTy(bits));
  for (unsigned at = 0; at < bits; at += 128)
    add(builder.CreateTrunc(builder.CreateLShr(value, at), builder.getIntNTy(std::min(128u, bits - at))));
  return parts;
}

} // namespace

/// The attributes of a pointer that is passed to a hook. At the end of the pipeline no more stores are dropped.
AttributeSet Hooks::pointerAttributes(AttributeSet from) const {
  LLVMContext &context = module_.getContext();
  return from.addAttribute(context, stack_ == StackArguments::Forwarded ? Attribute::ReadOnly : Attribute::ReadNone)
      .addAttributes(context, compat::attributeSet(context, {compat::noCapture(context)}));
}

Hooks::Reads Hooks::readsOf(ArrayRef<Argument> arguments) const {
  // Unions and forwarded stack arguments carry pointers as numbers.
  const bool mayPoint = any_of(arguments, [](const Argument &argument) {
    const Type *type = argument.value->getType();
    return type->isPointerTy() || (type->isIntOrIntVectorTy() && type->getPrimitiveSizeInBits() >= 64);
  });
  return mayPoint && stack_ == StackArguments::Forwarded ? Reads::FrameAndContents : Reads::Frame;
}

/// flang comes without the parser that assembly in a module needs.
static bool isByFlang(const Module &module) {
  const NamedMDNode *identity = module.getNamedMetadata("llvm.ident");
  const auto *text = identity && identity->getNumOperands() > 0 && identity->getOperand(0)->getNumOperands() > 0
                         ? dyn_cast<MDString>(identity->getOperand(0)->getOperand(0))
                         : nullptr;
  return text && text->getString().contains("flang");
}

// Asks once: isForLto() reads all functions of the module.
Hooks::Hooks(Module &module, StackArguments stack)
    : module_(module), stack_(stack), usesSymbols_(isForLto(module) || isByFlang(module)) {}

/// The hook NAME. Where its symbol is another one, the assembler replaces it. But LTO moves functions to modules
/// without this directive, and does not import any that use what a directive defines: there, and where there is no
/// assembler, the function has the symbol's name.
Function *Hooks::declare(StringRef name, FunctionType *type) {
  const std::string symbol = hookSymbol(name.str());
  const bool isRenamed = symbol != name && usesSymbols_;
  if (Function *function = module_.getFunction(isRenamed ? StringRef(symbol) : name))
    return function;
  Function *function =
      Function::Create(type, GlobalValue::ExternalLinkage, isRenamed ? StringRef(symbol) : name, module_);
  function->addFnAttr(Attribute::NoUnwind);
  if (symbol != name && !isRenamed) {
    module_.appendModuleInlineAsm("\t.set\t" + name.str() + ", " + symbol);
    function->setUnnamedAddr(GlobalValue::UnnamedAddr::Global); // otherwise .addrsig_sym brings the old name back
  }
  return function;
}

void Hooks::call(IRBuilder<> &builder, StringRef name, const Frame &frame, ArrayRef<Argument> arguments, Reads reads) {
  LLVMContext &context = module_.getContext();
  Type *nothing = Type::getVoidTy(context);
  PointerType *pointer = compat::pointerType(context);
  // One instruction on both architectures.
  Value *address = builder.CreateGEP(builder.getInt8Ty(), builder.CreatePointerCast(frame.memory, pointer),
                                     frame.enabled, "ada.nest");
  SmallVector<Type *, 8> types{pointer};
  SmallVector<Value *, 8> values{address};
  // Not captured, so other calls in the function can still be tail calls.
  AttributeSet nest =
      compat::attributeSet(context, {Attribute::get(context, Attribute::Nest), compat::noCapture(context)});
  AttributeSet ofCall = compat::attributeSet(context, {Attribute::get(context, Attribute::NoUnwind)});
  if (reads == Reads::Frame)
    ofCall = ofCall.addAttributes(context, compat::attributeSet(context, {compat::onlyArgumentMemory(context)}));
  else if (reads == Reads::FrameAndContents)
    ofCall = ofCall.addAttributes(context, compat::changesOnlyArgumentMemory(context));
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
  Function *hook = declare(symbol, FunctionType::get(nothing, {pointer}, false));
  // Through the GOT: the dynamic linker's lazy resolver would not preserve the nest register.
  hook->addFnAttr(Attribute::NonLazyBind);
  hook->setCallingConv(CallingConv::PreserveMost);
  if (!hook->hasParamAttribute(0, Attribute::Nest))
    hook->addParamAttr(0, Attribute::Nest);
  FunctionType *type = FunctionType::get(nothing, types, false);
  FunctionCallee callee = compat::calleeOfType(hook, type);
  if (compat::ignoresNonLazyBind(module_)) {
    // The same by hand. The address in a variable could be that of a PLT entry.
    symbol = hook->getName().str();
    const std::string load = triple.isAArch64()
                                 ? "adrp $0, :got:" + symbol + "\n\tldr $0, [$0, :got_lo12:" + symbol + "]"
                                 : "movq " + symbol + "@GOTPCREL(%rip), $0";
    InlineAsm *code = InlineAsm::get(FunctionType::get(pointer, {}, false), load, "=r", /*hasSideEffects=*/true);
    callee = {type, builder.CreatePointerCast(builder.CreateCall(code), callee.getCallee()->getType())};
  }
  CallInst *call = builder.CreateCall(callee, values);
  call->setCallingConv(CallingConv::PreserveMost);
  call->setAttributes(AttributeList::get(context, ofCall, AttributeSet(), attributes));
}

LoadInst *readEnabled(IRBuilder<> &builder, GlobalVariable &enable) {
  // Volatile and not atomic: x86 widens a volatile load in the same instruction.
  LoadInst *enabled = builder.CreateAlignedLoad(builder.getInt8Ty(), &enable, Align(1), /*isVolatile=*/true, "ada.on");
  enabled->setMetadata("nosanitize", MDNode::get(builder.getContext(), {}));
  return enabled;
}

Frame Hooks::makeFrame(Function &function, Value *enabled, bool endsOtherwise) {
  IRBuilder<> builder(&*function.getEntryBlock().begin());
  AllocaInst *memory =
      builder.CreateAlloca(ArrayType::get(builder.getInt64Ty(), sizeof(ada_frame) / 8), nullptr, "ada.frame");
  memory->setAlignment(Align(16));
  AllocaInst *coroutine = keepCoroutineFrame(function);
  return {memory, enabled, endsOtherwise || coroutine || resultBytesInMemory(function) > 0, coroutine};
}

void Hooks::store(IRBuilder<> &builder, const Frame &frame, Value *value, uint64_t offset) {
  Value *start = builder.CreatePointerCast(frame.memory, compat::pointerType(module_.getContext()));
  Value *at = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), start, offset);
  builder.CreateAlignedStore(value, builder.CreatePointerCast(at, compat::pointerTo(value->getType())), Align(1));
}

/// Stores the fields that include/ada/abi.h lists, except `memory`.
void Hooks::fill(IRBuilder<> &builder, const Frame &frame, Constant *entry) {
  bool isAArch64 = compat::targetTriple(module_).isAArch64();
  Function *stack = compat::intrinsic(module_, isAArch64 ? Intrinsic::sponentry : Intrinsic::addressofreturnaddress,
                                      {compat::pointerType(module_.getContext())});
  store(builder, frame, entry, offsetof(ada_frame, function));
  store(builder, frame, builder.CreateCall(stack, {}), offsetof(ada_frame, sp));
  if (isAArch64) // on x86-64 it is what `sp` points to
    store(builder, frame,
          builder.CreateCall(compat::intrinsic(module_, Intrinsic::returnaddress), {builder.getInt32(0)}),
          offsetof(ada_frame, return_address));
}

/// The address, where BUILDER stands, of a result in memory; null if it is not in memory.
Value *Hooks::addressOf(IRBuilder<> &builder, const InMemory &inMemory) {
  PointerType *pointer = compat::pointerType(module_.getContext());
  if (inMemory.isPointer)
    return builder.CreatePointerCast(inMemory.result, pointer);
  if (!inMemory.result)
    return nullptr;
  IRBuilder<> top(&*builder.GetInsertBlock()->getParent()->getEntryBlock().begin());
  AllocaInst *memory = top.CreateAlloca(inMemory.result->getType(), nullptr, "ada.result");
  memory->setAlignment(Align(16));
  builder.CreateAlignedStore(inMemory.result, memory, Align(16));
  return builder.CreatePointerCast(memory, pointer);
}

void Hooks::enter(IRBuilder<> &builder, Constant *entry, Function &function, Frame &frame) {
  LLVMContext &context = module_.getContext();
  bool isAArch64 = compat::targetTriple(module_).isAArch64();
  ArgumentRegisters registers(function, stack_);
  SmallVector<Argument, 8> forwarded, fromStack;
  for (llvm::Argument &argument : function.args()) {
    AttributeSet from = compat::parameterAttributes(function, argument.getArgNo());
    ArgumentPlace place = registers.place(argument.getType(), from);
    if (place == ArgumentPlace::Forwarded)
      for (Value *part : asVectors(builder, argument))
        fromStack.push_back({part, AttributeSet()});
    AttributeSet attributes = abiAttributes(context, from);
    // Passed in x8, in addition to the ordinary arguments. LLVM accepts that in the first two places only.
    bool isInX8 = isAArch64 && from.hasAttribute(Attribute::StructRet) && forwarded.empty();
    if (isInX8)
      attributes =
          attributes.addAttributes(context, compat::attributeSet(context, {from.getAttribute(Attribute::StructRet)}));
    else if (place != ArgumentPlace::Registers) // a skipped argument takes no register from those after it
      continue;
    if (argument.getType()->isPointerTy())
      attributes = pointerAttributes(attributes);
    forwarded.push_back({&argument, attributes});
  }
  if (const auto future = rustFuture(function); future && stateRegister(function, *future, stack_)) {
    registers.place(builder.getInt64Ty(), AttributeSet());
    forwarded.push_back({stateOf(builder, function, *future), AttributeSet()});
  }
  forwarded.append(fromStack.begin(), fromStack.end()); // in the vector registers after those of the others
  frame.carried |= registers.generalTaken() | registers.vectorTaken() << 4;
  fill(builder, frame, entry);
  if (!function.isVarArg() || !hasOrdinaryVariadicList(function))
    return call(builder, "__ada_enter", frame, forwarded, readsOf(forwarded));
  IRBuilder<> top(&*function.getEntryBlock().begin());
  // System V's va_list has 24 bytes, AAPCS64's 32.
  AllocaInst *list = top.CreateAlloca(ArrayType::get(top.getInt64Ty(), 4), nullptr, "ada.va");
  list->setAlignment(Align(16));
  Value *address = builder.CreatePointerCast(list, compat::pointerType(context));
  builder.CreateCall(compat::variadicIntrinsic(module_, Intrinsic::vastart), {address});
  store(builder, frame, address, offsetof(ada_frame, memory));
  frame.carried |= ADA_CARRIED_VARIADIC;
  call(builder, "__ada_enter", frame, forwarded, Reads::FrameAndMore);
  builder.CreateCall(compat::variadicIntrinsic(module_, Intrinsic::vaend), {address});
}

/// ISNORESULT: nothing is returned here, although the function may return something elsewhere.
void Hooks::callExit(IRBuilder<> &builder, ArrayRef<Argument> arguments, Frame &frame, Carried carried,
                     InMemory inMemory, bool isNoResult) {
  PointerType *pointer = compat::pointerType(module_.getContext());
  Value *memory = addressOf(builder, inMemory);
  if (frame.isSetAtExit) {
    Value *said = memory       ? memory
                  : isNoResult ? ConstantExpr::getIntToPtr(builder.getInt64(ADA_NO_RESULT), pointer)
                               : ConstantPointerNull::get(pointer);
    store(builder, frame, said, offsetof(ada_frame, memory));
    frame.carried |= ADA_CARRIED_AT_EXIT;
  }
  if (!isNoResult)
    frame.carried |= carried.general << 8 | carried.vector << 12 | inMemory.bytes << 16;
  call(builder, "__ada_exit", frame, arguments, memory ? Reads::FrameAndMore : readsOf(arguments));
}

void Hooks::exit(IRBuilder<> &builder, Function &function, Instruction *end, Frame &frame) {
  LLVMContext &context = module_.getContext();
  ArgumentRegisters registers(function);
  if (isCoroutinePart(function)) { // as if it returned nextCoroutine()
    registers.place(compat::pointerType(context), AttributeSet());
    return callExit(builder, {{nextCoroutine(end), pointerAttributes(AttributeSet())}}, frame,
                    {registers.generalTaken(), registers.vectorTaken()}, {});
  }
  auto *ret = dyn_cast<ReturnInst>(end);
  if (const auto future = rustFuture(function); future && ret && !future->isDropped) { // as if it returned the state
    registers.place(builder.getInt64Ty(), AttributeSet());
    return callExit(builder, {{stateOf(builder, function, *future), AttributeSet()}}, frame,
                    {registers.generalTaken(), registers.vectorTaken()}, {});
  }
  Value *value = ret ? ret->getReturnValue() : nullptr;
  InMemory inMemory;
  if (!value || registers.place(value->getType(), AttributeSet()) != ArgumentPlace::Registers) {
    if (unsigned bytes = ret ? resultBytesInMemory(function) : 0)
      inMemory = {value ? value : function.getArg(0), bytes, /*isPointer=*/!value};
    else if (ret && frame.coroutine)
      inMemory = {frame.coroutine, 8, /*isPointer=*/true};
    return callExit(builder, {}, frame, {}, inMemory, /*isNoResult=*/!ret);
  }
  AttributeSet attributes = abiAttributes(context, function.getAttributes().getAttributes(AttributeList::ReturnIndex));
  if (value->getType()->isPointerTy())
    attributes = pointerAttributes(attributes);
  if (frame.coroutine)
    inMemory = {frame.coroutine, 8, /*isPointer=*/true};
  callExit(builder, {{value, attributes}}, frame, {registers.generalTaken(), registers.vectorTaken()}, inMemory);
}

void Hooks::unwind(IRBuilder<> &builder, const Frame &frame) { call(builder, "__ada_unwind", frame, {}, Reads::Frame); }

Value *Hooks::plainCall(IRBuilder<> &builder, StringRef name, ArrayRef<Value *> arguments, Type *result) {
  SmallVector<Type *, 1> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionType *type = FunctionType::get(result ? result : builder.getVoidTy(), types, false);
  return builder.CreateCall(compat::calleeOfType(declare(name, type), type), arguments);
}

void Hooks::withFrame(IRBuilder<> &builder, StringRef name, Value *more) {
  Function *frameAddress =
      compat::intrinsic(module_, Intrinsic::frameaddress, {compat::pointerType(module_.getContext())});
  SmallVector<Value *, 2> arguments{builder.CreateCall(frameAddress, {builder.getInt32(0)})};
  if (more)
    arguments.push_back(more);
  plainCall(builder, name, arguments);
}

void Hooks::landed(IRBuilder<> &builder, Value *enabled) {
  withFrame(builder, "__ada_landed", enabled ? enabled : builder.getInt64(0));
}

void Hooks::beforeExec(IRBuilder<> &builder) { plainCall(builder, "__ada_before_exec", {}); }
void Hooks::afterExec(IRBuilder<> &builder) { plainCall(builder, "__ada_after_exec", {}); }
void Hooks::beforeSignalStack(IRBuilder<> &builder) { plainCall(builder, "__ada_before_signal_stack", {}); }
void Hooks::afterSignalStack(IRBuilder<> &builder) { plainCall(builder, "__ada_after_signal_stack", {}); }
void Hooks::beforeClone(IRBuilder<> &builder) { plainCall(builder, "__ada_before_clone", {}); }

void Hooks::beforeExit(IRBuilder<> &builder, Value *status) {
  plainCall(builder, "__ada_before_exit", {builder.CreateZExtOrTrunc(status, builder.getInt32Ty())});
}

void Hooks::beforeThreadExit(IRBuilder<> &builder, Value *status) {
  plainCall(builder, "__ada_before_thread_exit", {builder.CreateZExtOrTrunc(status, builder.getInt32Ty())});
}

Value *Hooks::fiberToken(IRBuilder<> &builder, bool leaves) {
  return plainCall(builder, leaves ? "__ada_fiber_leave" : "__ada_fiber_current", {},
                   compat::pointerType(module_.getContext()));
}

void Hooks::fiberResume(IRBuilder<> &builder, Value *token, bool byJump) {
  plainCall(builder, byJump ? "__ada_fiber_land" : "__ada_fiber_resume", {token});
}

void Hooks::fiberMake(IRBuilder<> &builder, Value *context) {
  PointerType *pointer = compat::pointerType(module_.getContext());
  plainCall(builder, "__ada_fiber_make", {builder.CreatePointerCast(context, pointer)});
}

} // namespace ada::pass
