// argument_registers.cpp - the two conventions, as LLVM implements them.
#include "argument_registers.h"
#include "llvm_compat.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace ada {

namespace {

constexpr unsigned kVectorRegisters = 8;

bool hasFeature(const Function &function, StringRef feature) {
  SmallVector<StringRef, 32> features;
  function.getFnAttribute("target-features").getValueAsString().split(features, ',', -1, false);
  return llvm::is_contained(features, feature);
}

} // namespace

ArgumentRegisters::ArgumentRegisters(const Function &function)
    : isAArch64(compat::targetTriple(*function.getParent()).isAArch64()), hasAvx(hasFeature(function, "+avx")),
      hasAvx512(hasFeature(function, "+avx512f")), generalLimit(isAArch64 ? 8 : 6) {}

bool ArgumentRegisters::countVector(FixedVectorType *type, Need &need) const {
  Type *element = type->getElementType();
  unsigned bits = element->getPrimitiveSizeInBits(), count = type->getNumElements();
  bool isPlain = element->isFloatTy() || element->isDoubleTy() || element->isIntegerTy(8) || element->isIntegerTy(16) ||
                 element->isIntegerTy(32) || element->isIntegerTy(64);
  if (!isPlain || count < 2 || (count & (count - 1)))
    return false;
  unsigned size = count * bits;
  bool fits = size == 64 || size == 128 || (!isAArch64 && ((size == 256 && hasAvx) || (size == 512 && hasAvx512)));
  if (!fits)
    return false;
  ++need.vector;
  need.pieces.push_back({true, 0, size / 8});
  return true;
}

bool ArgumentRegisters::count(Type *type, Need &need) const {
  if (auto *integer = dyn_cast<IntegerType>(type)) {
    unsigned words = (integer->getBitWidth() + 63) / 64;
    if (words > 2)
      return false;
    need.beginsEven |= isAArch64 && words == 2;
    need.general += words;
    for (unsigned i = 0; i < words; ++i)
      need.pieces.push_back({false, 0, 8});
    return true;
  }
  if (type->isPointerTy()) {
    ++need.general;
    need.pieces.push_back({false, 0, 8});
    return type->getPointerAddressSpace() == 0;
  }
  // Half precision moved from general to vector registers on x86-64 with LLVM 15; bfloat later.
  bool isHalf = type->isHalfTy() && (isAArch64 || LLVM_VERSION_MAJOR >= 15);
  if (type->isFloatTy() || type->isDoubleTy() || type->isFP128Ty() || isHalf || (type->isBFloatTy() && isAArch64)) {
    ++need.vector;
    need.pieces.push_back({true, 0, (unsigned)type->getPrimitiveSizeInBits().getFixedValue() / 8});
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

ArgumentPlace ArgumentRegisters::place(Type *type, AttributeSet attributes, SmallVectorImpl<RegisterPiece> *pieces) {
  if (lost)
    return ArgumentPlace::Unknown;
  // In registers of their own, or on the stack by their kind: they take nothing from the others.
  for (Attribute::AttrKind kind :
       {Attribute::Nest, Attribute::SwiftSelf, Attribute::SwiftError, Attribute::SwiftAsync, Attribute::ByVal,
        Attribute::ByRef, Attribute::InAlloca, Attribute::Preallocated})
    if (attributes.hasAttribute(kind))
      return ArgumentPlace::Elsewhere;
  if (isAArch64 && attributes.hasAttribute(Attribute::StructRet))
    return ArgumentPlace::Elsewhere;
  if (type->isX86_FP80Ty())
    return ArgumentPlace::Elsewhere;
  Need need;
  if (!count(type, need)) {
    lost = true;
    return ArgumentPlace::Unknown;
  }
  unsigned first = general + (need.beginsEven ? general & 1 : 0);
  bool hasGeneral = first + need.general <= generalLimit || need.general == 0;
  bool hasVector = vector + need.vector <= kVectorRegisters;
  if (hasGeneral && hasVector) {
    if (need.general)
      general = first;
    for (RegisterPiece &piece : need.pieces) {
      piece.number = piece.isVector ? vector++ : general++;
      if (pieces)
        pieces->push_back(piece);
    }
    if (need.general)
      generalGiven = general;
    if (need.vector)
      vectorGiven = vector;
    return ArgumentPlace::Registers;
  }
  if (isAArch64) {
    // What did not fit ends its kind of register for all that follow.
    if (!hasGeneral)
      general = generalLimit;
    if (!hasVector)
      vector = kVectorRegisters;
    return ArgumentPlace::Elsewhere;
  }
  if (type->isAggregateType()) { // may be torn apart; clang makes none
    lost = true;
    return ArgumentPlace::Unknown;
  }
  // A 128-bit integer with one register left: LLVM 14 tears it apart, 19 leaves the register unused, 22 gives it to the next one.
  if (need.general == 2 && LLVM_VERSION_MAJOR < 22)
    general = generalLimit;
  return ArgumentPlace::Elsewhere;
}

} // namespace ada
