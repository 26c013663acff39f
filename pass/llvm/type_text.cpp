// Writes types by their layout, and finds the registers that carry each parameter.
#include "type_text.h"
#include "argument_registers.h"
#include "coroutines.h"
#include "library_functions.h"
#include "llvm_compat.h"
#include "rust_futures.h"
#include "rust_values.h"
#include "type_layout.h"
#include "type_names.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace llvm;

namespace ada {

bool isUnread(const Function &function, unsigned number) {
  const Argument &argument = *function.getArg(number);
  return argument.getType()->isPointerTy() &&
         (argument.hasAttribute(Attribute::ReadNone) || argument.hasAttribute(Attribute::WriteOnly) ||
          compat::isInitialized(argument) || compat::readsNoArgumentMemory(function));
}

namespace {

using Where = ValuePiece::Where;

std::string placeText(ArrayRef<ValuePiece> pieces) { return ada::placeText(pieces.data(), pieces.size()); }

/// How many bytes of a parameter's own value the lowered TYPE holds.
uint64_t bytesOf(const DataLayout &layout, Type *type) { return layout.getTypeStoreSize(type).getFixedValue(); }

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

/// Takes NUMBER, the next lowered parameter of FUNCTION, out of REGISTERS. Appends its place to PIECES, or that it is
/// left out.
ArgumentPlace takeNext(ArgumentRegisters &registers, const Function &function, unsigned number,
                       SmallVectorImpl<ValuePiece> &pieces) {
  const size_t first = pieces.size();
  ArgumentPlace place =
      registers.place(function.getArg(number)->getType(), compat::parameterAttributes(function, number), &pieces);
  if (place != ArgumentPlace::Unknown && pieces.size() > first &&
      (isLeftOut(function, number) || (function.getArg(number)->hasByValAttr() && isUnread(function, number))))
    for (ValuePiece &piece : MutableArrayRef<ValuePiece>(pieces).drop_front(first))
      piece.where = Where::LeftOut;
  return place;
}

/// Whether a value of PLACE has pieces that say where it is.
bool hasPieces(ArgumentPlace place) { return place != ArgumentPlace::Elsewhere && place != ArgumentPlace::Unknown; }

/// Which eightbytes of a value hold part of TYPE, which starts OFFSET bits into it. Bit I stands for the eightbyte that
/// starts at byte 8 * I. The others are padding.
uint64_t eightbytesOf(const DIType *type, uint64_t offset, unsigned depth = 0) {
  type = plain(type);
  const uint64_t bits = isNullType(type) ? 64 : bitsOf(type);
  if (!type || bits == 0 || offset >= 512 || depth == 32)
    return 0;
  const auto range = [](uint64_t first, uint64_t size) {
    const uint64_t from = first / 64, end = std::min<uint64_t>(8, (first + size + 63) / 64);
    return from < end ? (uint64_t(1) << end) - (uint64_t(1) << from) : 0;
  };
  const auto *composite = dyn_cast<DICompositeType>(type);
  if (!composite || composite->getTag() == dwarf::DW_TAG_enumeration_type)
    return range(offset, bits);
  if (composite->getTag() == dwarf::DW_TAG_array_type)
    return eightbytesOf(composite->getBaseType(), 0, depth + 1) ? range(offset, bits) : 0;
  uint64_t found = 0;
  for (const DINode *node : composite->getElements())
    if (const auto *member = dyn_cast<DIDerivedType>(node); member && isMember(*member))
      found |= member->isBitField()
                   ? range(offset + member->getOffsetInBits(), member->getSizeInBits())
                   : eightbytesOf(member->getBaseType(), offset + member->getOffsetInBits(), depth + 1);
  return found;
}

/// Matches source parameters with lowered ones.
class Matcher {
public:
  /// A lowered parameter's share of a value, or (NUMBER is kPadding) an eightbyte that nothing carries.
  struct Part {
    unsigned number, bytes;
    bool isShort = false; // its general register has 8
  };
  static constexpr unsigned kPadding = ~0u;
  static constexpr unsigned kLocationBytes = 24; // core::panic::Location

  Matcher(const Function &function, StackArguments stack)
      : function_(function), layout_(function.getParent()->getDataLayout()),
        isAArch64_(compat::targetTriple(*function.getParent()).isAArch64()), isRust_(isRust(function)),
        registers_(function, stack) {
    // The hidden pointer to a result in memory.
    const DISubprogram *subprogram = function.getSubprogram();
    if (next_ < function.arg_size() &&
        (function.hasParamAttribute(next_, Attribute::StructRet) ||
         (isRust_ && hasRustResultAddress(function, subprogram->getType()->getTypeArray()[0]))))
      take();
  }

  std::string result(const DIType *diType) const {
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
      const auto fit =
          fitRust(diType, parts ? parts->elements() : ArrayRef<Type *>(type), AttributeSet(), layout_, true);
      return fit && isShown(diType, *fit, type) && (fit->count == 1 || setSizes(pieces, *fit)) ? placeText(pieces)
                                                                                               : "-";
    }
    uint64_t bytes = bytesOf(layout_, type);
    if (bytes * 8 >= bitsOf(diType))
      return placeText(pieces);
    // One eightbyte of two is padding.
    const uint64_t used = eightbytesOf(diType, 0);
    if (isAArch64_ || pieces.size() != 1 || bitsOf(diType) > 128 || (used != 1 && used != 2))
      return "-";
    pieces.insert(used == 1 ? pieces.end() : pieces.begin(), {Where::LeftOut, 0, 8});
    return placeText(pieces);
  }

  /// Skips the place of a call in the source, which rustc passes last to functions that want to know it.
  void skipLocation() {
    if (isRust_ && next_ + 1 == function_.arg_size() && function_.getArg(next_)->getType()->isPointerTy() &&
        function_.getParamDereferenceableBytes(next_) == kLocationBytes)
      take();
  }

  /// Skips a parameter that the source does not have.
  void skipHidden() {
    if (next_ < function_.arg_size())
      take();
  }

  /// Whether every lowered parameter has found its source. If not, the optimizer may have changed the signature.
  bool isComplete() const { return !lost_ && next_ == function_.arg_size(); }

  /// Whether the lowered parameters are not those that the source's would make; even earlier ones may then be wrong.
  bool isOther() const { return isOther_ || (!lost_ && next_ != function_.arg_size()); }

  /// Whether every source parameter so far has found its lowered ones.
  bool hasPassedAll() const { return !lost_; }

  /// Where a parameter of DITYPE is; "-" if that is not known, "!" if callers leave it out.
  std::string parameter(const DIType *diType) {
    pieces_.clear();
    parts_.clear();
    isUnread_ = false;
    return place(diType);
  }

  /// Whether it points to memory that callers need not have stored.
  bool hasUnread() const { return isUnread_; }

  /// The parts that the last parameter() took, in the order of the value's bytes.
  ArrayRef<Part> parts() const { return parts_; }

  /// The next lowered parameter.
  unsigned next() const { return next_; }

private:
  const Function &function_;
  const DataLayout &layout_;
  bool isAArch64_, isRust_;
  unsigned next_ = 0; // lowered parameter
  ArgumentRegisters registers_;
  bool lost_ = false; // what follows can't be matched
  bool isOther_ = false;
  // For the current parameter.
  SmallVector<ValuePiece, 4> pieces_;
  SmallVector<Part, 4> parts_;
  bool isUnread_ = false;

  /// Gives the two PIECES of a value the sizes of its parts, and the padding between these.
  static bool setSizes(SmallVectorImpl<ValuePiece> &pieces, const RustFit &fit) {
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
  static bool isShown(const DIType *type, const RustFit &fit, const Type *lowered) {
    return fit.count > 0 && !fit.isByAddress &&
           (!isRustEnumeration(type) || (fit.count == 1 && lowered->isPointerTy()));
  }

  std::string placeInRust(const DIType *type) {
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

  std::string place(const DIType *diType) {
    if (isRust_)
      return placeInRust(diType);
    const DIType *type = plain(diType);
    uint64_t bytes = isNullType(type) ? 8 : bitsOf(type) / 8;
    const auto *composite = dyn_cast_or_null<DICompositeType>(type);
    bool isStruct = composite && composite->getTag() != dwarf::DW_TAG_enumeration_type;
    // clang sometimes passes __int128 as two halves.
    bool isSplit = isStruct || (bytes == 16 && type &&
                                (isa<DIBasicType>(type) || type->getTag() == dwarf::DW_TAG_ptr_to_member_type));
    if (lost_ || !type)
      return "-";
    const Argument *first = next_ < function_.arg_size() ? function_.getArg(next_) : nullptr;
    const uint64_t used = eightbytesOf(type, 0);
    // In that case the copy belongs to the next parameter. Only an empty struct that is larger is itself a copy.
    const bool takesNone = isStruct && !used && !composite->isForwardDecl() && bytes <= 16;
    if (first && first->hasPassPointeeByValueCopyAttr() && !takesNone) // a copy on the stack
      return take() && !lost_ ? placeText(pieces_) : "-";
    // Types that C++ does not allow to be copied into registers, and those too large for AArch64. Any other pointer is
    // a member.
    bool isByAddress = isStruct && ((composite->getFlags() & DINode::FlagTypePassByReference) ||
                                    (bytes > 16 && !composite->isForwardDecl()) || isKnownString(type));
    if (isByAddress && first && first->getType()->isPointerTy()) { // a copy elsewhere
      const bool isKnown = take() && isKnownString(type);
      return isKnown ? placeText(pieces_) : "-"; // for other types the register does not hold the value
    }
    if (isStruct && composite->isForwardDecl()) { // described in another object: it may take any number
      lost_ = true;
      return "-";
    }
    if (isStruct && !used) { // takes no place at all, except on AArch64
      if (isAArch64_ && first && bytes == 1 && first->getType()->isIntegerTy(8))
        take();
      return "-";
    }
    if (!first)
      return lose();
    bool wantsPointer = isa<DIDerivedType>(type) && type->getTag() != dwarf::DW_TAG_ptr_to_member_type;
    if (bytes == 0 || (!isSplit && wantsPointer != first->getType()->isPointerTy() && !isNullType(type)))
      return lose();
    uint64_t seen = 0;
    bool hasPlace = true;
    while (seen < bytes) {
      if (isStruct && !isAArch64_ && bytes <= 16 && !(used >> (seen / 8) & 1)) {
        const unsigned size = unsigned(std::min<uint64_t>(8, bytes - seen));
        pieces_.push_back({Where::LeftOut, 0, size});
        parts_.push_back({kPadding, size});
        seen += 8;
        continue;
      }
      if (next_ >= function_.arg_size())
        return lose();
      Type *lowered = function_.getArg(next_)->getType();
      uint64_t size = bytesOf(layout_, lowered);
      // A whole scalar, or a struct's next eightbyte, which may be wider than the rest of the struct.
      if ((!isSplit && size != bytes && !(size * 8 >= bitsOf(type) && type->getTag() == dwarf::DW_TAG_base_type)) ||
          (isSplit && size > ((bytes - seen + 7) & ~uint64_t(7))))
        return lose();
      hasPlace &= take();
      if (lost_)
        return "-";
      seen += isSplit ? ((size + 7) & ~uint64_t(7)) : size;
    }
    return hasPlace ? placeText(pieces_) : "-";
  }

  /// Skips a lowered parameter. Returns whether its place is known.
  bool take() {
    const size_t before = pieces_.size();
    ArgumentPlace place = takeNext(registers_, function_, next_, pieces_);
    isUnread_ |= isUnread(function_, next_);
    unsigned bytes = 0;
    for (const ValuePiece &piece : ArrayRef<ValuePiece>(pieces_).drop_front(before))
      bytes += piece.bytes;
    parts_.push_back({next_++, bytes});
    lost_ |= place == ArgumentPlace::Unknown;
    return hasPieces(place);
  }
  std::string lose() {
    lost_ = isOther_ = true;
    return "-";
  }
};

//===--- Signatures that the optimizer changes ----------------------------===//

/// Where the source's parameters 1 to COUNT - 1 of a numbered FUNCTION are. Sets UNREAD for those that point to memory
/// that callers need not have stored.
SmallVector<std::string, 8> placesOfNumbered(const Function &function, unsigned count, StackArguments stack,
                                             SmallVectorImpl<bool> &unread) {
  struct Part {
    SmallVector<ValuePiece, 2> pieces;
    unsigned bytes;
    bool isShort; // less than its general register holds
    bool hasPlace = true;
  };
  SmallVector<SmallVector<Part, 2>, 8> parts(count);
  SmallVector<StringRef, 8> known;
  function.getFnAttribute(kAttrNumbered).getValueAsString().split(known, ',', -1, false);
  for (StringRef text : known) { // parts count as left out by callers until they are found
    auto [number, sizes] = text.split(':');
    unsigned k = 0, bytes = 0;
    if (number.getAsInteger(10, k) || k >= count)
      continue;
    while (!sizes.empty() && !sizes.consumeInteger(10, bytes)) {
      parts[k].push_back({{{Where::LeftOut, 0, bytes}}, bytes, sizes.consume_front("s")});
      sizes.consume_front("+");
    }
  }
  ArgumentRegisters registers(function, stack);
  for (unsigned i = 0; i < function.arg_size(); ++i) {
    SmallVector<ValuePiece, 4> pieces;
    ArgumentPlace place = takeNext(registers, function, i, pieces);
    auto [parameter, part] =
        compat::parameterAttributes(function, i).getAttribute(kAttrParameter).getValueAsString().split('/');
    unsigned k = 0, at = 0;
    if (parameter.getAsInteger(10, k) || part.getAsInteger(10, at) || k >= count || at >= parts[k].size())
      continue;
    unsigned bytes = 0;
    for (const ValuePiece &piece : pieces)
      bytes += piece.bytes;
    // Is it something else now, such as a pointer to what was on the stack?
    Part &found = parts[k][at];
    if (found.isShort && pieces.size() == 1 && pieces[0].where == Where::General)
      pieces[0].bytes = bytes = found.bytes;
    found.hasPlace = hasPieces(place) && bytes == found.bytes;
    found.pieces.assign(pieces.begin(), pieces.end());
    unread[k] |= isUnread(function, i);
  }
  SmallVector<std::string, 8> places;
  for (unsigned k = 1; k < count; ++k) {
    SmallVector<ValuePiece, 4> pieces;
    bool hasPlace = true;
    for (const Part &part : parts[k]) {
      pieces.append(part.pieces.begin(), part.pieces.end());
      hasPlace &= part.hasPlace;
    }
    places.push_back(hasPlace ? placeText(pieces) : "-");
  }
  return places;
}

/// Whether a numbered FUNCTION returns no meaningful value, because no caller uses its result.
bool isResultLeftOut(const Function &function) {
  if (function.getReturnType()->isVoidTy())
    return compat::startsWith(function.getFnAttribute(kAttrNumbered).getValueAsString(), "0"); // it had a result
  bool returns = false;
  for (const BasicBlock &block : function)
    if (const auto *ret = dyn_cast<ReturnInst>(block.getTerminator())) {
      if (!isa<UndefValue>(ret->getReturnValue()))
        return false;
      returns = true;
    }
  return returns;
}

//===--- Wrappers of library calls ----------------------------------------===//

/// The code of a type as Prototype writes it.
std::string codeOf(StringRef type) {
  if (type == "function")
    return "p(function)";
  if (type == "va_list")
    return "p(va_list)";
  if (type.consume_back("*")) {
    type = type.rtrim(' ');
    if (type.consume_back("*const"))
      return "p(" + escaped((type.rtrim(' ') + " *").str()) + ")";
    return "p(" + escaped(type.rtrim(' ')) + ")";
  }
  return StringSwitch<const char *>(type)
      .Case("void", "v")
      .Case("int", "s32")
      .Case("pid_t", "s32")
      .Case("unsigned", "u32")
      .Case("mode_t", "u32")
      .Case("socklen_t", "u32")
      .Case("long", "s64")
      .Case("long long", "s64")
      .Case("ssize_t", "s64")
      .Case("off_t", "s64")
      .Case("double", "f64")
      .Default("u64");
}

/// The code of an argument that a variadic function gets after its parameters. C's promotions leave few types.
std::string codeOf(Type *lowered) {
  if (lowered->isIntegerTy(32) || lowered->isIntegerTy(64))
    return "s" + std::to_string(lowered->getIntegerBitWidth());
  return lowered->isPointerTy() ? "p(void)" : lowered->isDoubleTy() ? "f64" : "";
}

/// The types of lowered parameters from FIRST on, which have no names.
std::string furtherTypes(const Function &wrapper, unsigned first, StackArguments stack) {
  ArgumentRegisters registers(wrapper, stack);
  std::string text;
  for (unsigned i = 0; i < wrapper.arg_size(); ++i) {
    SmallVector<ValuePiece, 4> pieces;
    Type *type = wrapper.getArg(i)->getType();
    bool hasPlace = hasPieces(registers.place(type, compat::parameterAttributes(wrapper, i), &pieces));
    if (i < first)
      continue;
    std::string code = codeOf(type);
    if (code.empty())
      return text + ";...:-:v";
    text += ";:" + (hasPlace ? placeText(pieces) : "-") + ":" + code;
  }
  return text;
}

/// The text for a WRAPPER of a function that has no debug information.
std::string typesByPrototype(const Function &wrapper, const Prototype &prototype, StackArguments stack) {
  auto placeOf = [](ArgumentPlace place, ArrayRef<ValuePiece> pieces) {
    return hasPieces(place) ? placeText(pieces) : "-";
  };
  SmallVector<ValuePiece, 4> pieces;
  std::string text = "-";
  if (prototype.result != "void") {
    ArgumentPlace place = ArgumentRegisters(wrapper).place(wrapper.getReturnType(), AttributeSet(), &pieces);
    text = placeOf(place, pieces);
  }
  text += ":" + codeOf(prototype.result);
  ArgumentRegisters registers(wrapper, stack);
  for (unsigned i = 0; i < prototype.parameters.size(); ++i) {
    pieces.clear();
    ArgumentPlace place =
        registers.place(wrapper.getArg(i)->getType(), compat::parameterAttributes(wrapper, i), &pieces);
    text += ";" + escaped(prototype.parameters[i].name) + ":" + placeOf(place, pieces) + ":" +
            codeOf(prototype.parameters[i].type);
  }
  return text + (prototype.isVariadic ? furtherTypes(wrapper, prototype.parameters.size(), stack) : "");
}

/// Constructors of classes with virtual bases get a table of where these are, as a parameter that no source has.
constexpr StringRef kHiddenTable = "(vtt)";

/// The names of FUNCTION's parameters, by number from 1.
SmallVector<StringRef, 8> parameterNames(const Function &function, const DISubprogram &subprogram) {
  SmallVector<StringRef, 8> names;
  auto note = [&](const DILocalVariable *variable) {
    if (!variable || !variable->getArg() || variable->getScope() != &subprogram)
      return;
    if (names.size() <= variable->getArg())
      names.resize(variable->getArg() + 1);
    const bool isHidden = variable->isArtificial() && variable->getName() == "vtt";
    names[variable->getArg()] = isHidden ? kHiddenTable : variable->getName();
  };
  for (const DINode *node : subprogram.getRetainedNodes())
    note(dyn_cast<DILocalVariable>(node));
  for (const Instruction &instruction : instructions(function)) {
    if (const auto *intrinsic = dyn_cast<DbgVariableIntrinsic>(&instruction))
      note(intrinsic->getVariable());
    compat::forEachDebugRecord(instruction, note);
  }
  return names;
}

} // namespace

void numberParameters(Function &function) {
  const DISubprogram *subprogram = function.getSubprogram();
  const DISubroutineType *type = subprogram ? subprogram->getType() : nullptr;
  if (!type || !function.hasLocalLinkage() || function.hasFnAttribute(kAttrNumbered))
    return;
  DITypeRefArray types = type->getTypeArray();
  Matcher matcher(function, StackArguments::InPlace);
  const SmallVector<StringRef, 8> names = parameterNames(function, *subprogram);
  std::string known = function.getReturnType()->isVoidTy() ? "" : "0"; // the parameters, and the result as 0
  for (unsigned k = 1; k < types.size() && types[k]; ++k) {
    if (matcher.parameter(types[k]) == "-")
      continue;
    known += (known.empty() ? "" : ",") + std::to_string(k);
    for (unsigned i = 0; i < matcher.parts().size(); ++i) {
      const Matcher::Part part = matcher.parts()[i];
      if (part.number != Matcher::kPadding)
        function.addParamAttr(part.number, Attribute::get(function.getContext(), kAttrParameter,
                                                          std::to_string(k) + "/" + std::to_string(i)));
      known += (i == 0 ? ":" : "+") + std::to_string(part.bytes) + (part.isShort ? "s" : "");
    }
    if (k == 1 && names.size() > 2 && names[2] == kHiddenTable)
      matcher.skipHidden();
  }
  matcher.skipLocation();
  if (matcher.isComplete())
    function.addFnAttr(kAttrNumbered, known);
}

std::string typesText(const Function &function, bool pointees, StackArguments stack) {
  if (isCoroutinePart(function))
    return "i0:p(void);frame:i0:p(void)"; // nextCoroutine()
  if (const std::optional<RustFuture> future = rustFuture(function))
    return typesText(function, *future, stack);
  const Function *callee = wrappedCallee(function);
  const DISubprogram *subprogram = (callee ? callee : &function)->getSubprogram();
  const DISubroutineType *type = subprogram ? subprogram->getType() : nullptr;
  const Prototype *prototype = callee ? findPrototype(*callee) : nullptr;
  if (!type || !type->getTypeArray().size())
    return prototype && function.arg_size() >= prototype->parameters.size()
               ? typesByPrototype(function, *prototype, stack)
               : "";
  bool isAArch64 = compat::targetTriple(*function.getParent()).isAArch64();
  DITypeRefArray types = type->getTypeArray();
  SmallVector<StringRef, 8> names = parameterNames(function, *subprogram);
  if (prototype) { // declarations are described without the names of parameters
    names.assign(1, "");
    for (const Prototype::Parameter &parameter : prototype->parameters)
      names.push_back({parameter.name.data(), parameter.name.size()});
  }
  Matcher matcher(function, stack);
  TypeLayout layout(!isAArch64, pointees);
  SmallVector<std::string, 8> places;
  unsigned count = 1;
  SmallVector<bool, 8> unread(1, false);
  for (; count < types.size() && types[count]; ++count) {
    places.push_back(matcher.parameter(types[count]));
    unread.push_back(matcher.hasUnread());
    if (count == 1 && names.size() > 2 && names[2] == kHiddenTable) {
      matcher.skipHidden();
      names.erase(names.begin() + 2);
    }
  }
  matcher.skipLocation();
  bool isNumbered = function.hasLocalLinkage() && function.hasFnAttribute(kAttrNumbered);
  if (isNumbered)
    places = placesOfNumbered(function, count, stack, unread);
  else if (function.hasLocalLinkage() ? !matcher.isComplete() : !callee && matcher.isOther())
    places.assign(places.size(), "-"); // the optimizer may have changed the signature, or it is not one that we know
  std::string result = !types[0] ? "-" : isNumbered && isResultLeftOut(function) ? "!" : matcher.result(types[0]);
  std::string text = result + ":" + layout.write(types[0]);
  for (unsigned i = 1; i < count; ++i) {
    if (isRust(function) && bitsOf(types[i]) == 0) // "()" and the like have only one value
      continue;
    // The place of a std::string by value holds its address.
    const bool isString = places[i - 1] != "-" && isKnownString(plain(types[i]));
    const std::string written = isString ? "r(" + escaped(stringName(plain(types[i]))) + ")" : layout.write(types[i]);
    text += ";" + escaped(i < names.size() ? names[i] : StringRef()) + ":" + places[i - 1] + ":" +
            (unread[i] ? withoutContents(written) : written);
  }
  if (count < types.size() && callee && matcher.hasPassedAll())
    return text + furtherTypes(function, matcher.next(), stack);
  if (count < types.size()) // a null type
    text += ";...:-:v";
  return text;
}

} // namespace ada
