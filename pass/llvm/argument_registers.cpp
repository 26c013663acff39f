// The two conventions, as LLVM implements them.
#include "argument_registers.h"
#include "llvm_compat.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace ada::pass {

namespace {

constexpr unsigned kVectorRegisters = 8;

bool hasFeature(const Function &function, StringRef feature) {
  SmallVector<StringRef, 32> features;
  function.getFnAttribute("target-features").getValueAsString().split(features, ',', -1, false);
  return llvm::is_contained(features, feature);
}

/// Whether CONVENTION passes arguments where C's convention does.
bool isLikeC(CallingConv::ID convention) {
  switch (convention) {
  case CallingConv::C:
  case CallingConv::Fast:
  case CallingConv::Cold:
  case CallingConv::PreserveMost: // this and the following preserve more registers
  case CallingConv::PreserveAll:
  case CallingConv::AArch64_VectorCall:
    return true;
  default:
    return false;
  }
}

/// Whether FUNCTION's entry hook can be given more arguments than arrive in registers. A variadic function's hook
/// can't, because its va_list says what the vector registers held. Where floating point is disallowed there are no
/// vector registers.
bool canForward(const Function &function) {
  return !function.isVarArg() && !function.hasFnAttribute(Attribute::NoImplicitFloat) &&
         !hasFeature(function, "-sse2") && !hasFeature(function, "-sse");
}

/// The type of an argument's value on the stack.
Type *typeOnStack(Type *type, AttributeSet attributes) {
  return attributes.hasAttribute(Attribute::ByVal) ? attributes.getByValType() : type;
}

} // namespace

ArgumentRegisters::ArgumentRegisters(const Function &function, StackArguments stack)
    : layout_(function.getParent()->getDataLayout()),
      isAArch64_(compat::targetTriple(*function.getParent()).isAArch64()), hasAvx_(hasFeature(function, "+avx")),
      hasAvx512_(hasFeature(function, "+avx512f")), generalLimit_(isAArch64_ ? 8 : 6),
      isStackKnown_(stack == StackArguments::InPlace && isLikeC(function.getCallingConv())),
      forwardsStack_(stack == StackArguments::Forwarded && !isAArch64_) {
  if (!forwardsStack_) // in place, or the stack of whichever function the hook ends up in
    return;
  forwarded_ = kVectorRegisters;
  if (!canForward(function))
    return;
  ArgumentRegisters all(function);
  for (const Argument &argument : function.args())
    all.place(argument.getType(), compat::parameterAttributes(function, argument.getArgNo()));
  forwarded_ = all.vectorTaken();
}

/// Whether TYPE is a floating-point number of 16 bits, in a vector register.
bool ArgumentRegisters::hasShortFloat(Type *type) const {
  return (type->isHalfTy() && (isAArch64_ || compat::kX86HasHalfInVectors)) ||
         (type->isBFloatTy() && (isAArch64_ || compat::kX86HasBfloatInVectors));
}

bool ArgumentRegisters::countVector(FixedVectorType *type, Need &need) const {
  Type *element = type->getElementType();
  unsigned bits = element->getPrimitiveSizeInBits(), count = type->getNumElements();
  bool isPlain = element->isFloatTy() || element->isDoubleTy() || element->isIntegerTy(8) || element->isIntegerTy(16) ||
                 element->isIntegerTy(32) || element->isIntegerTy(64);
  const bool isShort = hasShortFloat(element); // two of them are the smallest vector that a struct becomes
  if ((!isPlain && !isShort) || count < 2 || (count & (count - 1)))
    return false;
  unsigned size = count * bits;
  bool fits = size == 64 || size == 128 || (size == 32 && isShort && !isAArch64_) ||
              (!isAArch64_ && ((size == 256 && hasAvx_) || (size == 512 && hasAvx512_)));
  if (!fits)
    return false;
  ++need.vector;
  need.pieces.push_back({ValuePiece::Where::Vector, 0, size / 8});
  return true;
}

bool ArgumentRegisters::count(Type *type, Need &need) const {
  if (auto *integer = dyn_cast<IntegerType>(type)) {
    unsigned words = (integer->getBitWidth() + 63) / 64;
    if (words > 2)
      return false;
    need.beginsEven |= isAArch64_ && words == 2;
    need.general += words;
    for (unsigned i = 0; i < words; ++i)
      need.pieces.push_back({ValuePiece::Where::General, 0, 8});
    return true;
  }
  if (type->isPointerTy()) {
    ++need.general;
    need.pieces.push_back({ValuePiece::Where::General, 0, 8});
    return type->getPointerAddressSpace() == 0;
  }
  if (type->isFloatTy() || type->isDoubleTy() || type->isFP128Ty() || hasShortFloat(type)) {
    ++need.vector;
    need.pieces.push_back(
        {ValuePiece::Where::Vector, 0, static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()) / 8});
    return true;
  }
  if (auto *fixed = dyn_cast<FixedVectorType>(type))
    return countVector(fixed, need);
  if (auto *structure = dyn_cast<StructType>(type)) {
    if (structure->isOpaque())
      return false;
    for (Type *element : structure->elements())
      if (!count(element, need))
        return false;
    return true;
  }
  if (auto *array = dyn_cast<ArrayType>(type)) {
    if (array->getNumElements() > 8)
      return false;
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      if (!count(array->getElementType(), need))
        return false;
    return true;
  }
  return false; // scalable vectors, target types
}

/// The alignment of an argument on the stack; isStackKnown_ becomes false if that, or its size, is uncertain.
uint64_t ArgumentRegisters::alignmentOnStack(Type *type, AttributeSet attributes) {
  if (attributes.hasAttribute(Attribute::ByVal)) {
    MaybeAlign given = attributes.getAlignment();
    isStackKnown_ &= given && !isAArch64_; // clang passes no such arguments there
    return isStackKnown_ ? std::max<uint64_t>(8, given->value()) : 8;
  }
  if (auto *array = dyn_cast<ArrayType>(type); array && isAArch64_) { // a struct, which is aligned as a whole
    if (const MaybeAlign given = attributes.getStackAlignment())
      return std::max<uint64_t>(8, given->value());
    return alignmentOnStack(array->getElementType(), AttributeSet());
  }
  if (type->isX86_FP80Ty() || type->isFP128Ty())
    return 16;
  if (isa<FixedVectorType>(type)) {
    const uint64_t size = type->getPrimitiveSizeInBits().getFixedValue() / 8;
    isStackKnown_ &= size >= 8;
    return isAArch64_ ? size : std::max<uint64_t>(16, size); // shorter vectors are widened on x86-64
  }
  if (type->isIntegerTy() && type->getIntegerBitWidth() > 64) {
    isStackKnown_ &= type->getIntegerBitWidth() == 128;
    return isAArch64_ || compat::kX86AlignsInt128 ? 16 : 8;
  }
  isStackKnown_ &= type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() || type->isHalfTy() ||
                   type->isBFloatTy() || type->isIntegerTy();
  return 8;
}

/// Takes the next part of the stack by the rules of the convention. LLVM has them in CC_X86_64_C and CC_AArch64_AAPCS.
ArgumentPlace ArgumentRegisters::placeOnStack(Type *type, AttributeSet attributes,
                                              SmallVectorImpl<ValuePiece> *pieces) {
  if (forwardsStack_)
    return forward(type, attributes, pieces);
  const bool isWidened = !isAArch64_ && isa<FixedVectorType>(type);
  type = typeOnStack(type, attributes);
  isStackKnown_ &= type != nullptr;
  const uint64_t alignment = isStackKnown_ ? alignmentOnStack(type, attributes) : 8;
  if (!isStackKnown_)
    return ArgumentPlace::Elsewhere;
  const uint64_t size = layout_.getTypeAllocSize(type).getFixedValue();
  stackTaken_ = alignTo(stackTaken_, alignment);
  // As many bytes as in a register, where the argument may be in a changed copy of the function.
  const bool isInVector = type->isFloatingPointTy() || isa<FixedVectorType>(type) || type->isArrayTy();
  if (pieces) // x86-64's return address is at the stack pointer
    pieces->push_back({ValuePiece::Where::Stack, unsigned((isAArch64_ ? 0 : 8) + stackTaken_),
                       unsigned(isInVector ? size : alignTo(size, 8))});
  stackTaken_ += alignTo(std::max<uint64_t>(size, isWidened ? 16 : 8), 8);
  return ArgumentPlace::Stack;
}

/// Takes vector registers for an argument on the stack, if enough are left.
ArgumentPlace ArgumentRegisters::forward(Type *type, AttributeSet attributes, SmallVectorImpl<ValuePiece> *pieces) {
  type = typeOnStack(type, attributes);
  if (!type || !type->isSized() || isa<ScalableVectorType>(type) ||
      (type->isAggregateType() && !attributes.hasAttribute(Attribute::ByVal)))
    return ArgumentPlace::Elsewhere;
  const uint64_t size = layout_.getTypeAllocSize(type).getFixedValue(), count = (size + 15) / 16;
  if (size == 0 || size > kMaxResultBytes || forwarded_ + count > kVectorRegisters)
    return ArgumentPlace::Elsewhere;
  for (uint64_t at = 0; at < size; at += 16, ++forwarded_)
    if (pieces)
      pieces->push_back({ValuePiece::Where::Vector, forwarded_, unsigned(std::min<uint64_t>(16, size - at))});
  vectorGiven_ = forwarded_;
  return ArgumentPlace::Forwarded;
}

ArgumentPlace ArgumentRegisters::place(Type *type, AttributeSet attributes, SmallVectorImpl<ValuePiece> *pieces) {
  // These arguments have dedicated registers, so they take none from the others.
  for (Attribute::AttrKind kind : {Attribute::Nest, Attribute::SwiftSelf, Attribute::SwiftError, Attribute::SwiftAsync})
    if (attributes.hasAttribute(kind))
      return ArgumentPlace::Elsewhere;
  for (Attribute::AttrKind kind : {Attribute::ByRef, Attribute::InAlloca, Attribute::Preallocated})
    if (attributes.hasAttribute(kind)) {
      isStackKnown_ = false;
      return ArgumentPlace::Elsewhere;
    }
  if (attributes.hasAttribute(Attribute::ByVal))
    return placeOnStack(type, attributes, pieces);
  if (isAArch64_ && attributes.hasAttribute(Attribute::StructRet))
    return ArgumentPlace::Elsewhere;
  if (type->isX86_FP80Ty())
    return placeOnStack(type, attributes, pieces);
  Need need;
  if (!count(type, need)) {
    isStackKnown_ = false;
    return ArgumentPlace::Elsewhere;
  }
  unsigned first = general_ + (need.beginsEven ? general_ & 1 : 0);
  bool hasGeneral = first + need.general <= generalLimit_ || need.general == 0;
  bool hasVector = vector_ + need.vector <= kVectorRegisters;
  if (hasGeneral && hasVector) {
    if (need.general)
      general_ = first;
    for (ValuePiece &piece : need.pieces) {
      piece.number = piece.where == ValuePiece::Where::Vector ? vector_++ : general_++;
      if (pieces)
        pieces->push_back(piece);
    }
    if (need.general)
      generalGiven_ = general_;
    if (need.vector)
      vectorGiven_ = std::max(vectorGiven_, vector_);
    return ArgumentPlace::Registers;
  }
  if (isAArch64_) {
    // Once an argument did not fit, no later one gets a register of that kind.
    if (!hasGeneral)
      general_ = generalLimit_;
    if (!hasVector)
      vector_ = kVectorRegisters;
    return placeOnStack(type, attributes, pieces);
  }
  if (type->isAggregateType()) // may be split; clang makes no such arguments
    isStackKnown_ = false;
  if (need.general == 2 && general_ < generalLimit_ && !compat::kX86GivesLastRegisterOn) {
    general_ = generalLimit_;
    isStackKnown_ &= compat::kX86AlignsInt128; // others pass half of it in the last register
  }
  return placeOnStack(type, attributes, pieces);
}

Lowering loweringOf(const Function &function) {
  const bool isX86 = !compat::targetTriple(*function.getParent()).isAArch64();
  switch (function.getCallingConv()) {
  case CallingConv::Win64:
    return isX86 ? Lowering::Microsoft : Lowering::Ordinary;
  case CallingConv::X86_RegCall:
  case CallingConv::Swift:
  case CallingConv::SwiftTail:
    return Lowering::Other;
  default:
    return Lowering::Ordinary;
  }
}

bool hasOrdinaryVariadicList(const Function &function) { return isLikeC(function.getCallingConv()); }

unsigned resultBytesInMemory(const Function &function) {
  Type *type = function.getReturnType();
  if (function.arg_size() && function.hasParamAttribute(0, Attribute::StructRet))
    type = function.getParamStructRetType(0);
  else if (type->isVoidTy() || ArgumentRegisters(function).place(type, AttributeSet()) == ArgumentPlace::Registers)
    return 0;
  if (!type || !type->isSized())
    return 0;
  TypeSize size = function.getParent()->getDataLayout().getTypeAllocSize(type);
  return size.isScalable() || size.getFixedValue() > kMaxResultBytes ? 0 : static_cast<unsigned>(size.getFixedValue());
}

} // namespace ada::pass
