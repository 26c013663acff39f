// Follows what the calling conventions make of types.
#include "parameter_matcher.h"
#include "library_functions.h"
#include "llvm_compat.h"
#include "type_layout.h"
#include "type_names.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace ada::pass {

namespace {

using Where = ValuePiece::Where;

constexpr unsigned kLocationBytes = 24; // core::panic::Location

/// A vector of SVE, or several.
bool isScalable(const Type *type) {
  const auto *parts = dyn_cast<StructType>(type);
  return isa<ScalableVectorType>(type) || (parts && any_of(parts->elements(), isScalable));
}

/// How many bytes of a parameter's own value the lowered TYPE holds.
uint64_t bytesOf(const DataLayout &layout, Type *type) {
  const TypeSize size = layout.getTypeStoreSize(type);
  return size.isScalable() ? 0 : size.getFixedValue();
}

/// Whether FUNCTION does not use its lowered parameter NUMBER and a call leaves it out: the optimizer passes an
/// arbitrary value in the calls that it sees. If a value takes several parameters, this may be so for only some of
/// them.
bool isLeftOut(const Function &function, unsigned number) {
  return function.getArg(number)->use_empty() && any_of(function.users(), [&](const User *user) {
           const auto *call = dyn_cast<CallBase>(user);
           return call && call->getCalledOperand() == &function && call->arg_size() > number &&
                  isa<UndefValue>(call->getArgOperand(number));
         });
}

/// Which of the bytes of a value that DATA stands for (dataBytes()) are in the eightbyte that starts at byte AT.
uint64_t dataInEightbyte(uint64_t data, uint64_t at) { return at < 64 ? data >> at & 0xff : 0; }

/// Whether LOWERED can carry the part of a TYPE's value that starts at byte AT, up to the end of an eightbyte:
/// addresses are carried where the value has addresses, and no byte of DATA is left behind.
bool canCarry(const DataLayout &layout, Type *lowered, const DIType *type, uint64_t at, uint64_t data) {
  const uint64_t size = bytesOf(layout, lowered);
  const auto *array = dyn_cast<ArrayType>(lowered);
  Type *element = array ? array->getElementType() : lowered;
  if (element->isPointerTy())
    for (uint64_t i = 0; i < size; i += 8)
      if (!mayHoldAddress(type, 8 * (at + i)))
        return false;
  return size % 8 == 0 || !(dataInEightbyte(data, at + size / 8 * 8) >> size % 8);
}

/// Gives the two PIECES of a value the sizes of its parts, and the padding between these.
bool setSizes(SmallVectorImpl<ValuePiece> &pieces, const RustFit &fit) {
  if (pieces.size() != 2)
    return false;
  pieces[0].bytes = fit.bytes;
  pieces[1].bytes = fit.second;
  if (fit.padding)
    pieces.insert(pieces.begin() + 1, {Where::LeftOut, 0, fit.padding});
  return true;
}

/// The register holds the address of a value that is elsewhere. An enumeration with data makes sense as one number
/// only if it is an Option<&T>.
bool isShown(const DIType *type, const RustFit &fit, const Type *lowered) {
  return fit.count > 0 && !fit.isByAddress && (!isRustEnumeration(type) || (fit.count == 1 && lowered->isPointerTy()));
}

/// A struct, union, array or vector.
bool isStructure(const DIType *type) {
  const auto *composite = dyn_cast_or_null<DICompositeType>(type);
  return composite && composite->getTag() != dwarf::DW_TAG_enumeration_type;
}

/// Not so for a _BitInt with an unknown number of bits, or with more than readers show.
bool hasKnownWidth(const DIType *type) {
  const auto width = bitIntWidth(type);
  return !width || (*width > 0 && *width <= 128);
}

/// Whether what carries a value of TYPE may be several lowered parameters. clang sometimes passes __int128 as two
/// halves.
bool isSplit(const DIType *type, uint64_t bytes) {
  return isStructure(type) ||
         (bytes == 16 && (isa<DIBasicType>(type) || type->getTag() == dwarf::DW_TAG_ptr_to_member_type));
}

/// Whether FUNCTION reads nothing at all of what its lowered parameter NUMBER points to.
bool readsNothing(const Function &function, unsigned number) {
  const Argument &argument = *function.getArg(number);
  return argument.getType()->isPointerTy() &&
         (argument.hasAttribute(Attribute::ReadNone) || argument.hasAttribute(Attribute::WriteOnly) ||
          compat::readsNoArgumentMemory(function));
}

} // namespace

bool isUnread(const Function &function, unsigned number) {
  const Argument &argument = *function.getArg(number);
  return readsNothing(function, number) || (argument.getType()->isPointerTy() && compat::isInitialized(argument));
}

bool isUnusedObject(const Function &function, unsigned number) {
  return readsNothing(function, number) && !wrappedCallee(function);
}

ArgumentPlace takeNext(ArgumentRegisters &registers, const Function &function, unsigned number,
                       SmallVectorImpl<ValuePiece> &pieces) {
  const size_t first = pieces.size();
  ArgumentPlace place =
      registers.place(function.getArg(number)->getType(), compat::parameterAttributes(function, number), &pieces);
  const bool isUnreadCopy = function.getArg(number)->hasByValAttr() && isUnread(function, number);
  if (isUnreadCopy && !isUnusedObject(function, number)) {
    pieces.truncate(first);
    return ArgumentPlace::Elsewhere;
  }
  if (isUnreadCopy || isLeftOut(function, number))
    for (ValuePiece &piece : MutableArrayRef<ValuePiece>(pieces).drop_front(first))
      piece.where = Where::LeftOut;
  return place;
}

ParameterMatcher::ParameterMatcher(const Function &function, StackArguments stack)
    : function_(function), layout_(function.getParent()->getDataLayout()),
      isAArch64_(compat::targetTriple(*function.getParent()).isAArch64()), isRust_(isRust(function)),
      lowering_(loweringOf(function)), registers_(function, stack) {
  // The hidden pointer to a result in memory.
  const DISubprogram *subprogram = function.getSubprogram();
  if (next_ < function.arg_size() &&
      (function.hasParamAttribute(next_, Attribute::StructRet) ||
       (isRust_ && hasRustResultAddress(function, subprogram->getType()->getTypeArray()[0]))))
    take();
}

std::string ParameterMatcher::result(const DIType *diType) const {
  SmallVector<ValuePiece, 4> pieces;
  Type *type = function_.getReturnType();
  if (unsigned bytes = diType ? resultBytesInMemory(function_) : 0) {
    if (bytes * 8 < bitsOf(diType) || isRustEnumeration(diType))
      return "-";
    for (unsigned i = 0; i < bytes; i += 16)
      pieces.push_back({ValuePiece::Where::Vector, i / 16, std::min(16u, bytes - i)});
    return placeText(pieces);
  }
  if (type->isVoidTy() || !diType ||
      ArgumentRegisters(function_).place(type, AttributeSet(), &pieces) != ArgumentPlace::Registers)
    return "-";
  if (isRust_) {
    const auto *parts = dyn_cast<StructType>(type);
    const auto fit = fitRust(diType, parts ? parts->elements() : ArrayRef<Type *>(type), AttributeSet(), layout_, true);
    return fit && isShown(diType, *fit, type) && (fit->count == 1 || setSizes(pieces, *fit)) ? placeText(pieces) : "-";
  }
  return isRight(diType, type, pieces) ? placeText(pieces) : "-";
}

bool ParameterMatcher::isRight(const DIType *type, Type *lowered, SmallVectorImpl<ValuePiece> &pieces) const {
  const bool isStruct = isStructure(plain(type));
  const uint64_t data = dataBytes(type), size = bitsOf(type) / 8;
  if (!hasKnownWidth(type) || (isStruct && lowering_ == Lowering::Other))
    return false;
  const auto *parts = dyn_cast<StructType>(lowered);
  if (isAArch64_ && parts) { // a struct of equal floating-point numbers, which nothing separates
    uint64_t bytes = 0;
    for (const ValuePiece &piece : pieces)
      bytes += piece.bytes;
    return bytes == bytesOf(layout_, lowered) && bytes * 8 >= bitsOf(type);
  }
  if (!parts || size > 16) {
    const uint64_t bytes = bytesOf(layout_, lowered);
    const bool hasFirst = dataInEightbyte(data, 0), hasSecond = dataInEightbyte(data, 8);
    if (isStruct && !canCarry(layout_, lowered, type, hasFirst || !hasSecond ? 0 : 8, data))
      return false;
    if (bytes * 8 >= bitsOf(type))
      return true;
    // One eightbyte of two is padding.
    if (isAArch64_ || pieces.size() != 1 || size > 16 || hasFirst == hasSecond)
      return false;
    pieces.insert(hasFirst ? pieces.end() : pieces.begin(), {Where::LeftOut, 0, 8});
    return true;
  }
  if (parts->getNumElements() != 2 || pieces.size() != 2 || size <= 8) // of two eightbytes
    return false;
  for (unsigned i = 0; i < 2; ++i)
    if (parts->getElementType(i)->isAggregateType() ||
        (isStruct && !canCarry(layout_, parts->getElementType(i), type, 8 * i, data)))
      return false;
  pieces[0].bytes = 8; // a vector register has more
  return true;
}

void ParameterMatcher::skipLocation() {
  if (isRust_ && next_ + 1 == function_.arg_size() && function_.getArg(next_)->getType()->isPointerTy() &&
      function_.getParamDereferenceableBytes(next_) == kLocationBytes)
    take();
}

void ParameterMatcher::skipHidden() {
  if (next_ < function_.arg_size())
    take();
}

bool ParameterMatcher::isComplete() const { return !lost_ && next_ == function_.arg_size(); }

bool ParameterMatcher::isOther() const { return isOther_ || (!lost_ && next_ != function_.arg_size()); }

std::string ParameterMatcher::parameter(const DIType *diType) {
  pieces_.clear();
  parts_.clear();
  isUnread_ = false;
  const std::string text = place(diType);
  return hasKnownWidth(diType) || text == "!" ? text : "-";
}

std::string ParameterMatcher::placeInRust(const DIType *type) {
  if (lost_)
    return "-";
  SmallVector<Type *, 2> lowered;
  for (unsigned i = next_; i < function_.arg_size() && i < next_ + 2; ++i)
    lowered.push_back(function_.getArg(i)->getType());
  const bool isOptimized = function_.getSubprogram()->isOptimized();
  const AttributeSet attributes = lowered.empty() ? AttributeSet() : compat::parameterAttributes(function_, next_);
  const auto fit = fitRust(type, lowered, attributes, layout_, isOptimized);
  if (!fit)
    return lose();
  bool hasPlace = isShown(type, *fit, lowered.empty() ? nullptr : lowered[0]);
  for (unsigned i = 0; i < fit->count; ++i)
    hasPlace &= take();
  if (fit->count == 2) {
    hasPlace &= setSizes(pieces_, *fit);
    parts_[0] = {parts_[0].number, fit->bytes, parts_[0].bytes != fit->bytes};
    parts_[1] = {parts_[1].number, fit->second, parts_[1].bytes != fit->second};
    if (fit->padding)
      parts_.insert(parts_.begin() + 1, {kPadding, fit->padding});
  }
  return hasPlace && !lost_ ? placeText(pieces_) : "-";
}

std::string ParameterMatcher::place(const DIType *diType) {
  if (isRust_)
    return placeInRust(diType);
  const DIType *type = plain(diType);
  const uint64_t bytes = isNullType(type) ? 8 : bitsOf(type) / 8;
  const auto *composite = dyn_cast_or_null<DICompositeType>(type);
  const bool isStruct = isStructure(type);
  if (lost_ || !type)
    return "-";
  const Argument *first = next_ < function_.arg_size() ? function_.getArg(next_) : nullptr;
  if (first && isStruct && bytes == 0 && isScalable(first->getType())) { // SVE
    take();
    return "-";
  }
  const uint64_t data = dataBytes(type);
  const bool isMicrosoft = lowering_ == Lowering::Microsoft;
  // In that case the copy belongs to the next parameter. Only an empty struct that is larger is itself a copy.
  const bool takesNone = isStruct && !data && !composite->isForwardDecl() && bytes <= 16 && !isMicrosoft;
  if (first && first->hasPassPointeeByValueCopyAttr() && !takesNone) // a copy on the stack
    return take() && !lost_ ? placeText(pieces_) : "-";
  if (isPassedByAddress(type, bytes) && first && first->getType()->isPointerTy()) // a copy elsewhere
    return placeByAddress(type, bytes);
  if (isMicrosoft && isPassedByAddress(type, bytes))
    return lose();
  if (isStruct && composite->isForwardDecl()) { // described in another object: it may take any number
    lost_ = true;
    return "-";
  }
  if (takesNone) { // takes no place at all, except on AArch64
    if (isAArch64_ && first && bytes == 1 && first->getType()->isIntegerTy(8))
      take();
    return "-";
  }
  if (!first)
    return lose();
  if (isMicrosoft && isStruct && first->getType()->isPointerTy())
    return lose();
  if (isStruct && lowering_ == Lowering::Other) { // it may take any number
    lost_ = true;
    return "-";
  }
  const bool isWhole = !isSplit(type, bytes);
  const bool wantsPointer = isa<DIDerivedType>(type) && type->getTag() != dwarf::DW_TAG_ptr_to_member_type;
  if (bytes == 0 || (isWhole && wantsPointer != first->getType()->isPointerTy() && !isNullType(type)))
    return lose();
  return placeParts(type, bytes, data);
}

bool ParameterMatcher::isPassedByAddress(const DIType *type, uint64_t bytes) const {
  const auto *composite = dyn_cast<DICompositeType>(type);
  if (isStructure(type) && ((composite->getFlags() & DINode::FlagTypePassByReference) || isKnownString(type)))
    return true;
  if (lowering_ != Lowering::Microsoft)
    return isStructure(type) && bytes > 16 && !composite->isForwardDecl();
  const bool isNumber = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  return !isNumber && (isSplit(type, bytes) || bitIntWidth(type)) && !(composite && composite->isForwardDecl());
}

std::string ParameterMatcher::placeByAddress(const DIType *type, uint64_t bytes) {
  const unsigned number = next_;
  const bool isKnown = take() && pieces_.size() == 1;
  if (!isKnown || isKnownString(type)) // readers know that the register holds the address of these
    return isKnown ? placeText(pieces_) : "-";
  if (isUnread_ && !isUnusedObject(function_, number))
    return "-";
  if (isUnread_)
    pieces_[0].where = Where::LeftOut;
  if (pieces_[0].where == Where::General) {
    pieces_[0] = {Where::Memory, pieces_[0].number, unsigned(std::min<uint64_t>(bytes, kMaxShownBytes))};
    parts_[0].target = pieces_[0].bytes;
  }
  return pieces_[0].where == Where::Memory || pieces_[0].where == Where::LeftOut ? placeText(pieces_) : "-";
}

std::string ParameterMatcher::placeParts(const DIType *type, uint64_t bytes, uint64_t data) {
  const bool isStruct = isStructure(type), mayBeSplit = isSplit(type, bytes);
  const bool hasEightbytes = isStruct && bytes <= 16 && !isAArch64_ && lowering_ != Lowering::Microsoft;
  bool hasPlace = true;
  for (uint64_t seen = 0; seen < bytes;) {
    if (hasEightbytes && !dataInEightbyte(data, seen)) {
      addPadding(unsigned(std::min<uint64_t>(8, bytes - seen)));
      seen += 8;
      continue;
    }
    if (next_ >= function_.arg_size() || isScalable(function_.getArg(next_)->getType()))
      return lose();
    Type *lowered = function_.getArg(next_)->getType();
    const uint64_t size = bytesOf(layout_, lowered);
    // A whole scalar, a half of a large one, or a struct's next eightbyte, which may be wider than the rest of the
    // struct.
    if (mayBeSplit && !isStruct && (size < 8 || lowered->isPointerTy()))
      return lose();
    if (!mayBeSplit ? size != bytes && !(size * 8 >= bitsOf(type) && type->getTag() == dwarf::DW_TAG_base_type)
                    : size > ((bytes - seen + 7) & ~uint64_t(7)) || (isAArch64_ && seen > 0) ||
                          (isStruct && !canCarry(layout_, lowered, type, seen, bytes <= 16 ? data : 0)))
      return lose();
    hasPlace &= take();
    seen += mayBeSplit ? ((size + 7) & ~uint64_t(7)) : size;
    if (const unsigned carried = parts_.back().bytes; seen < bytes && carried < 8) // of a vector register
      addPadding(8 - carried);
  }
  return hasPlace ? placeText(pieces_) : "-";
}

void ParameterMatcher::addPadding(unsigned bytes) {
  pieces_.push_back({Where::LeftOut, 0, bytes});
  parts_.push_back({kPadding, bytes});
}

bool ParameterMatcher::take() {
  const size_t before = pieces_.size();
  ArgumentPlace place = takeNext(registers_, function_, next_, pieces_);
  isUnread_ |= isUnread(function_, next_);
  unsigned bytes = 0;
  for (const ValuePiece &piece : ArrayRef<ValuePiece>(pieces_).drop_front(before))
    bytes += piece.bytes;
  parts_.push_back({next_++, bytes});
  return hasPieces(place);
}

std::string ParameterMatcher::lose() {
  lost_ = true;
  isOther_ |= lowering_ != Lowering::Other; // of which little is known
  return "-";
}

} // namespace ada::pass
