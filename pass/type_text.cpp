// Writes types by their layout, and finds the registers that carry each parameter.
#include "type_text.h"
#include "argument_registers.h"
#include "coroutines.h"
#include "library_functions.h"
#include "llvm_compat.h"
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

namespace {

/// Pieces as docs/types.md writes them; "-" if a register is wider than what is recorded of it, or a value on the stack
/// larger than what readers show.
std::string placeText(ArrayRef<ValuePiece> pieces) {
  std::string text;
  for (const ValuePiece &piece : pieces) {
    bool isStack = piece.where == ValuePiece::Where::Stack;
    if (piece.bytes > (isStack ? kMostResultBytes : 16))
      return "-";
    char kind = isStack ? 'm' : piece.where == ValuePiece::Where::Vector ? 'v' : 'i';
    text += (text.empty() ? "" : "+") + std::string(1, kind) + std::to_string(piece.number) +
            (piece.bytes == 8 ? "" : "." + std::to_string(piece.bytes));
  }
  return text.empty() ? "-" : text;
}

/// How many bytes of a parameter's own value the lowered TYPE holds.
uint64_t bytesOf(const DataLayout &layout, Type *type) { return layout.getTypeStoreSize(type).getFixedValue(); }

/// Whether FUNCTION uses none of its lowered parameters from FIRST up to END, and a call leaves them out: the optimizer
/// puts an arbitrary value there in the calls that it sees.
bool isLeftOut(const Function &function, unsigned first, unsigned end) {
  for (unsigned i = first; i < end; ++i)
    if (!function.getArg(i)->use_empty())
      return false;
  return any_of(function.users(), [&](const User *user) {
    const auto *call = dyn_cast<CallBase>(user);
    return call && call->getCalledOperand() == &function && call->arg_size() >= end &&
           isa<UndefValue>(call->getArgOperand(first));
  });
}

/// Matches source parameters with lowered ones.
class Matcher {
  const Function &function_;
  const DataLayout &layout_;
  unsigned next_ = 0; // lowered parameter
  ArgumentRegisters registers_;
  bool lost_ = false; // what follows can't be matched

public:
  explicit Matcher(const Function &function)
      : function_(function), layout_(function.getParent()->getDataLayout()), registers_(function) {
    // The hidden pointer to a result in memory.
    if (next_ < function.arg_size() && function.hasParamAttribute(next_, Attribute::StructRet))
      take(nullptr);
  }

  std::string result(const DIType *diType) const {
    SmallVector<ValuePiece, 4> pieces;
    Type *type = function_.getReturnType();
    if (unsigned bytes = diType ? resultBytesInMemory(function_) : 0) {
      if (bytes * 8 < bitsOf(diType))
        return "-";
      for (unsigned i = 0; i < bytes; i += 16)
        pieces.push_back({ValuePiece::Where::Vector, i / 16, std::min(16u, bytes - i)});
      return placeText(pieces);
    }
    if (type->isVoidTy() || !diType || bytesOf(layout_, type) * 8 < bitsOf(diType) ||
        ArgumentRegisters(function_).place(type, AttributeSet(), &pieces) != ArgumentPlace::Registers)
      return "-";
    return placeText(pieces);
  }

  /// Whether every lowered parameter has found its source. If not, the optimizer may have changed the signature.
  bool isComplete() const { return !lost_ && next_ == function_.arg_size(); }

  /// Whether every source parameter so far has found its lowered ones.
  bool hasPassedAll() const { return !lost_; }

  /// Where a parameter of DITYPE is; "-" if that is not known, "!" if callers leave it out.
  std::string parameter(const DIType *diType) {
    firstTaken_ = ~0u;
    std::string where = place(diType);
    return where != "-" && firstTaken_ < next_ && isLeftOut(function_, firstTaken_, next_) ? "!" : where;
  }

  /// The lowered parameters that the last parameter() took: [first, second).
  std::pair<unsigned, unsigned> taken() const { return {std::min(firstTaken_, next_), next_}; }

private:
  unsigned firstTaken_ = 0;

  std::string place(const DIType *diType) {
    const DIType *type = plain(diType);
    uint64_t bytes = bitsOf(type) / 8;
    const auto *composite = dyn_cast_or_null<DICompositeType>(type);
    bool isStruct = composite && composite->getTag() != dwarf::DW_TAG_enumeration_type;
    // clang passes __int128 as two halves where it likes.
    bool isSplit = isStruct || (bytes == 16 && type &&
                                (isa<DIBasicType>(type) || type->getTag() == dwarf::DW_TAG_ptr_to_member_type));
    if (lost_ || !type)
      return "-";
    if (isStruct && isEmpty(*composite))
      return "-"; // takes no place at all
    if (next_ >= function_.arg_size())
      return lose();
    const Argument &first = *function_.getArg(next_);
    SmallVector<ValuePiece, 4> pieces;
    if (first.hasPassPointeeByValueCopyAttr()) // a copy on the stack
      return take(&pieces) && !lost_ ? placeText(pieces) : "-";
    // What C++ does not allow to be copied into registers, and what AArch64 finds too large. Another pointer is a
    // member.
    bool isByAddress = isStruct && ((composite->getFlags() & DINode::FlagTypePassByReference) || bytes > 16);
    if (isByAddress && first.getType()->isPointerTy()) { // a copy elsewhere
      const bool isKnown = take(&pieces) && isKnownString(type);
      return isKnown ? placeText(pieces) : "-"; // of others the register holds no value of the type
    }
    bool wantsPointer = isa<DIDerivedType>(type) && type->getTag() != dwarf::DW_TAG_ptr_to_member_type;
    if (!isSplit && wantsPointer != first.getType()->isPointerTy() && type->getName() != "decltype(nullptr)")
      return lose();
    uint64_t seen = 0;
    bool hasPlace = true;
    while (seen < bytes) {
      if (next_ >= function_.arg_size())
        return lose();
      Type *lowered = function_.getArg(next_)->getType();
      uint64_t size = bytesOf(layout_, lowered);
      // A whole scalar, or a struct's next eightbyte, which may be wider than what is left of it.
      if ((!isSplit && size != bytes && !(size * 8 >= bitsOf(type) && type->getTag() == dwarf::DW_TAG_base_type)) ||
          (isSplit && size > ((bytes - seen + 7) & ~uint64_t(7))))
        return lose();
      hasPlace &= take(&pieces);
      if (lost_)
        return "-";
      seen += isSplit ? ((size + 7) & ~uint64_t(7)) : size;
    }
    return hasPlace ? placeText(pieces) : "-";
  }

  /// Passes over a lowered parameter; whether its place is known, in registers or on the stack.
  bool take(SmallVectorImpl<ValuePiece> *pieces) {
    firstTaken_ = std::min(firstTaken_, next_);
    ArgumentPlace place =
        registers_.place(function_.getArg(next_)->getType(), function_.getAttributes().getParamAttrs(next_), pieces);
    ++next_;
    lost_ |= place == ArgumentPlace::Unknown;
    return place == ArgumentPlace::Registers || place == ArgumentPlace::Stack;
  }
  std::string lose() {
    lost_ = true;
    return "-";
  }
  static bool isEmpty(const DICompositeType &type) {
    if (bitsOf(&type) > 8)
      return false;
    for (const DINode *node : type.getElements())
      if (const auto *member = dyn_cast<DIDerivedType>(node))
        if (isMember(*member) && member->getTag() == dwarf::DW_TAG_member)
          return false;
    return type.getTag() == dwarf::DW_TAG_structure_type || type.getTag() == dwarf::DW_TAG_class_type;
  }
};

//===--- Signatures that the optimizer changes ----------------------------===//

// It does that to functions that it knows all calls of, so these have their parameters numbered before it begins: an
// attribute "ada-parameter"="K/N" says that a lowered parameter is one of N that carry the source's parameter K. It
// stays with the lowered parameter as long as that exists.
constexpr const char *kParameter = "ada-parameter", *kNumbered = "ada-parameters-numbered";

/// Where the source's parameters 1 to COUNT - 1 of a numbered FUNCTION are.
SmallVector<std::string, 8> placesOfNumbered(const Function &function, unsigned count) {
  struct Found {
    SmallVector<ValuePiece, 4> pieces;
    unsigned first = 0, number = 0, of = 0;
    bool hasPlace = true;
  };
  SmallVector<Found, 8> found(count);
  ArgumentRegisters registers(function);
  for (unsigned i = 0; i < function.arg_size(); ++i) {
    AttributeSet attributes = function.getAttributes().getParamAttrs(i);
    auto [parameter, of] = attributes.getAttribute(kParameter).getValueAsString().split('/');
    unsigned k = 0;
    SmallVector<ValuePiece, 4> pieces;
    ArgumentPlace place = registers.place(function.getArg(i)->getType(), attributes, &pieces);
    if (!attributes.hasAttribute(kParameter) || parameter.getAsInteger(10, k) || k >= count)
      continue;
    Found &one = found[k];
    of.getAsInteger(10, one.of);
    one.first = one.number++ ? one.first : i;
    one.hasPlace &= place == ArgumentPlace::Registers || place == ArgumentPlace::Stack;
    one.pieces.append(pieces.begin(), pieces.end());
  }
  SmallVector<StringRef, 8> known;
  function.getFnAttribute(kNumbered).getValueAsString().split(known, ',', -1, false);
  SmallVector<std::string, 8> places;
  for (unsigned k = 1; k < count; ++k) {
    const Found &one = found[k];
    if (!one.number)
      places.push_back(is_contained(known, std::to_string(k)) ? "!" : "-"); // taken away: callers do not pass it
    else if (one.number != one.of || !one.hasPlace)
      places.push_back("-");
    else
      places.push_back(isLeftOut(function, one.first, one.first + one.number) ? "!" : placeText(one.pieces));
  }
  return places;
}

/// Whether a numbered FUNCTION returns nothing that means anything: nobody asks for its result.
bool isResultLeftOut(const Function &function) {
  if (function.getReturnType()->isVoidTy())
    return compat::startsWith(function.getFnAttribute(kNumbered).getValueAsString(), "0"); // it had a result
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

/// A type as Prototype has it.
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
      .Cases("int", "pid_t", "s32")
      .Cases("unsigned", "mode_t", "socklen_t", "u32")
      .Cases("long", "long long", "ssize_t", "off_t", "s64")
      .Case("double", "f64")
      .Default("u64");
}

/// What a variadic function is given behind its parameters: C's promotions leave few types.
std::string codeOf(Type *lowered) {
  if (lowered->isIntegerTy(32) || lowered->isIntegerTy(64))
    return "s" + std::to_string(lowered->getIntegerBitWidth());
  return lowered->isPointerTy() ? "p(void)" : lowered->isDoubleTy() ? "f64" : "";
}

/// The types of lowered parameters from FIRST on, which have no names.
std::string furtherTypes(const Function &wrapper, unsigned first) {
  ArgumentRegisters registers(wrapper);
  std::string text;
  for (unsigned i = 0; i < wrapper.arg_size(); ++i) {
    SmallVector<ValuePiece, 4> pieces;
    Type *type = wrapper.getArg(i)->getType();
    ArgumentPlace place = registers.place(type, wrapper.getAttributes().getParamAttrs(i), &pieces);
    bool hasPlace = place == ArgumentPlace::Registers || place == ArgumentPlace::Stack;
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
std::string typesByPrototype(const Function &wrapper, const Prototype &prototype) {
  auto placeOf = [](ArgumentPlace place, ArrayRef<ValuePiece> pieces) {
    return place == ArgumentPlace::Registers || place == ArgumentPlace::Stack ? placeText(pieces) : "-";
  };
  SmallVector<ValuePiece, 4> pieces;
  std::string text = "-";
  if (prototype.result != "void") {
    ArgumentPlace place = ArgumentRegisters(wrapper).place(wrapper.getReturnType(), AttributeSet(), &pieces);
    text = placeOf(place, pieces);
  }
  text += ":" + codeOf(prototype.result);
  ArgumentRegisters registers(wrapper);
  for (unsigned i = 0; i < prototype.parameters.size(); ++i) {
    pieces.clear();
    ArgumentPlace place =
        registers.place(wrapper.getArg(i)->getType(), wrapper.getAttributes().getParamAttrs(i), &pieces);
    text += ";" + escaped(prototype.parameters[i].name) + ":" + placeOf(place, pieces) + ":" +
            codeOf(prototype.parameters[i].type);
  }
  return text + (prototype.isVariadic ? furtherTypes(wrapper, prototype.parameters.size()) : "");
}

/// The names of FUNCTION's parameters, by number from 1.
SmallVector<StringRef, 8> parameterNames(const Function &function, const DISubprogram &subprogram) {
  SmallVector<StringRef, 8> names;
  auto note = [&](const DILocalVariable *variable) {
    if (!variable || !variable->getArg() || variable->getScope() != &subprogram)
      return;
    if (names.size() <= variable->getArg())
      names.resize(variable->getArg() + 1);
    names[variable->getArg()] = variable->getName();
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
  if (!type || !function.hasLocalLinkage() || function.hasFnAttribute(kNumbered))
    return;
  DITypeRefArray types = type->getTypeArray();
  Matcher matcher(function);
  std::string known = function.getReturnType()->isVoidTy() ? "" : "0"; // the parameters, and the result as 0
  for (unsigned k = 1; k < types.size() && types[k]; ++k) {
    if (matcher.parameter(types[k]) == "-")
      continue;
    auto [first, end] = matcher.taken();
    std::string value = std::to_string(k) + "/" + std::to_string(end - first);
    for (unsigned i = first; i < end; ++i)
      function.addParamAttr(i, Attribute::get(function.getContext(), kParameter, value));
    known += (known.empty() ? "" : ",") + std::to_string(k);
  }
  if (matcher.isComplete())
    function.addFnAttr(kNumbered, known);
}

std::string typesText(const Function &function, bool pointees) {
  if (isCoroutinePart(function))
    return "i0:p(void);frame:i0:p(void)"; // nextCoroutine()
  const Function *callee = wrappedCallee(function);
  const DISubprogram *subprogram = (callee ? callee : &function)->getSubprogram();
  const DISubroutineType *type = subprogram ? subprogram->getType() : nullptr;
  Prototype prototype;
  const bool hasPrototype = callee && findPrototype(*callee, prototype);
  if (!type || !type->getTypeArray().size())
    return hasPrototype && function.arg_size() >= prototype.parameters.size() ? typesByPrototype(function, prototype)
                                                                              : "";
  bool isAArch64 = compat::targetTriple(*function.getParent()).isAArch64();
  DITypeRefArray types = type->getTypeArray();
  SmallVector<StringRef, 8> names = parameterNames(function, *subprogram);
  if (hasPrototype) { // declarations are described without the names of parameters
    names.assign(1, "");
    for (const Prototype::Parameter &parameter : prototype.parameters)
      names.push_back(parameter.name);
  }
  Matcher matcher(function);
  TypeLayout layout(!isAArch64, pointees);
  SmallVector<std::string, 8> places;
  unsigned count = 1;
  for (; count < types.size() && types[count]; ++count)
    places.push_back(matcher.parameter(types[count]));
  bool isNumbered = function.hasLocalLinkage() && function.hasFnAttribute(kNumbered);
  if (isNumbered)
    places = placesOfNumbered(function, count);
  else if (!matcher.isComplete() && function.hasLocalLinkage())
    places.assign(places.size(), "-"); // the optimizer may have changed the signature
  std::string result = !types[0] ? "-" : isNumbered && isResultLeftOut(function) ? "!" : matcher.result(types[0]);
  std::string text = result + ":" + layout.write(types[0]);
  for (unsigned i = 1; i < count; ++i) {
    // A std::string by value is what its place holds the address of.
    const bool isString = places[i - 1] != "-" && isKnownString(plain(types[i]));
    text += ";" + escaped(i < names.size() ? names[i] : StringRef()) + ":" + places[i - 1] + ":" +
            (isString ? "r(" + escaped(stringName(plain(types[i]))) + ")" : layout.write(types[i]));
  }
  if (count < types.size() && callee && matcher.hasPassedAll())
    return text + furtherTypes(function, matcher.taken().second);
  if (count < types.size()) // a null type
    text += ";...:-:v";
  return text;
}

} // namespace ada
