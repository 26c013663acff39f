// type_text.cpp - writes types by their layout, and finds the registers that carry each parameter.
#include "type_text.h"
#include "argument_registers.h"
#include "llvm_compat.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

using namespace llvm;

namespace ada {

namespace {

std::string escaped(StringRef text) {
  std::string result;
  for (char c : text) {
    if (StringRef(":;,|=@+(){}\\").contains(c))
      result += '\\';
    result += c;
  }
  return result;
}

/// TYPE without typedefs and qualifiers; null is void.
const DIType *plain(const DIType *type) {
  for (unsigned steps = 0; steps < 32; ++steps) { // cyclic metadata would be broken
    const auto *derived = dyn_cast_or_null<DIDerivedType>(type);
    if (!derived)
      return type;
    switch (derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
    case dwarf::DW_TAG_member:
    case dwarf::DW_TAG_inheritance:
      type = derived->getBaseType();
      continue;
    default:
      return type;
    }
  }
  return nullptr;
}

uint64_t bitsOf(const DIType *type) {
  for (unsigned steps = 0; type && steps < 32; ++steps) {
    if (type->getSizeInBits())
      return type->getSizeInBits();
    const auto *derived = dyn_cast<DIDerivedType>(type);
    if (!derived)
      return 0;
    type = derived->getBaseType();
  }
  return 0;
}

bool isMember(const DIDerivedType &member) {
  return (member.getTag() == dwarf::DW_TAG_member && !member.isStaticMember()) ||
         member.getTag() == dwarf::DW_TAG_inheritance;
}

/// Writes a type by its layout.
class LayoutWriter {
  unsigned depth = 0;
  size_t enumerators = 0;

public:
  std::string write(const DIType *original) {
    const DIType *type = plain(original);
    if (!type)
      return "v";
    if (depth == 6)
      return unknown(type);
    ++depth;
    std::string text = writePlain(type);
    --depth;
    return text;
  }

private:
  std::string unknown(const DIType *type) {
    return "?" + std::to_string(bitsOf(type)) + "(" + escaped(type->getName()) + ")";
  }

  static std::string pointee(const DIDerivedType *type) {
    std::string text;
    const DIType *target = type->getBaseType();
    for (unsigned steps = 0; steps < 8; ++steps) {
      const auto *derived = dyn_cast_or_null<DIDerivedType>(target);
      if (derived && derived->getTag() == dwarf::DW_TAG_const_type) {
        text += "const ";
        target = derived->getBaseType();
      } else if (derived && derived->getTag() == dwarf::DW_TAG_volatile_type) {
        target = derived->getBaseType();
      } else {
        break;
      }
    }
    if (!target)
      return text + "void";
    if (isa<DISubroutineType>(target))
      return text + "function";
    if (!target->getName().empty())
      return text + target->getName().str();
    const auto *derived = dyn_cast<DIDerivedType>(target);
    if (derived && derived->getTag() == dwarf::DW_TAG_pointer_type)
      return text + pointee(derived) + " *";
    return text + "?";
  }

  std::string writePlain(const DIType *type) {
    std::string bits = std::to_string(bitsOf(type));
    if (const auto *basic = dyn_cast<DIBasicType>(type)) {
      switch (basic->getEncoding()) {
      case dwarf::DW_ATE_boolean:
        return "b";
      case dwarf::DW_ATE_signed_char:
        return basic->getName() == "char" ? "c" : "s" + bits;
      case dwarf::DW_ATE_unsigned_char:
        return basic->getName() == "char" ? "c" : "u" + bits;
      case dwarf::DW_ATE_signed:
        return "s" + bits;
      case dwarf::DW_ATE_unsigned:
      case dwarf::DW_ATE_UTF:
        return "u" + bits;
      case dwarf::DW_ATE_float:
        // x87's long double has 80 bits in 16 bytes; AArch64's and __float128 have 128.
        return basic->getName() == "long double" && basic->getSizeInBits() == 128 && isX86 ? "f80" : "f" + bits;
      default:
        return unknown(type);
      }
    }
    if (const auto *composite = dyn_cast<DICompositeType>(type))
      return writeComposite(composite);
    if (const auto *derived = dyn_cast<DIDerivedType>(type)) {
      switch (derived->getTag()) {
      case dwarf::DW_TAG_pointer_type:
        return "p(" + escaped(pointee(derived)) + ")";
      case dwarf::DW_TAG_reference_type:
      case dwarf::DW_TAG_rvalue_reference_type:
        return "r(" + escaped(pointee(derived)) + ")";
      default:
        return unknown(type);
      }
    }
    return type->getName() == "decltype(nullptr)" ? "p(void)" : unknown(type);
  }

  std::string writeComposite(const DICompositeType *type) {
    if (type->getTag() == dwarf::DW_TAG_enumeration_type) {
      // A scoped enumerator is written with its type, as the source would.
      bool scoped = type->getFlags() & DINode::FlagEnumClass;
      bool isUnsigned = true;
      std::string text;
      for (const DINode *node : type->getElements()) {
        const auto *enumerator = dyn_cast<DIEnumerator>(node);
        if (!enumerator || ++enumerators > 64) // names of a few; the others are shown as numbers
          continue;
        isUnsigned &= enumerator->isUnsigned();
        SmallString<24> value;
        enumerator->getValue().toString(value, 10, !enumerator->isUnsigned());
        text += text.empty() ? "|" : ",";
        text += escaped(scoped ? (type->getName() + "::" + enumerator->getName()).str() : enumerator->getName().str());
        text += "=" + value.str().str();
      }
      if (const auto *base = dyn_cast_or_null<DIBasicType>(plain(type->getBaseType())))
        isUnsigned = base->getEncoding() == dwarf::DW_ATE_unsigned || base->getEncoding() == dwarf::DW_ATE_unsigned_char ||
                     base->getEncoding() == dwarf::DW_ATE_boolean;
      return "e" + std::to_string(bitsOf(type)) + (isUnsigned ? "u" : "s") + "(" + escaped(type->getName()) + text + ")";
    }
    bool isStruct = type->getTag() == dwarf::DW_TAG_structure_type || type->getTag() == dwarf::DW_TAG_class_type;
    if (!isStruct || bitsOf(type) > 512)
      return unknown(type);
    std::string text;
    for (const DINode *node : type->getElements()) {
      const auto *member = dyn_cast<DIDerivedType>(node);
      if (!member || !isMember(*member))
        continue;
      if (member->isBitField() || member->getOffsetInBits() % 8)
        return unknown(type);
      text += text.empty() ? "|" : ",";
      text += escaped(member->getName()) + "@" + std::to_string(member->getOffsetInBits() / 8) + ":" +
              write(member->getBaseType());
    }
    return "{" + escaped(type->getName()) + text + "}";
  }

public:
  bool isX86 = true;
};

/// Pieces as docs/types.md writes them; "-" if a register is wider than what is recorded of it.
std::string placeText(ArrayRef<RegisterPiece> pieces) {
  std::string text;
  for (const RegisterPiece &piece : pieces) {
    if (piece.bytes > 16)
      return "-";
    text += (text.empty() ? "" : "+") + std::string(1, piece.isVector ? 'v' : 'i') + std::to_string(piece.number) +
            (piece.bytes == 8 ? "" : "." + std::to_string(piece.bytes));
  }
  return text.empty() ? "-" : text;
}

/// How many bytes of a parameter's own value the lowered TYPE holds.
uint64_t bytesOf(const DataLayout &layout, Type *type) { return layout.getTypeStoreSize(type).getFixedValue(); }

/// Matches source parameters with lowered ones.
class Matcher {
  const Function &function;
  const DataLayout &layout;
  unsigned next = 0; // lowered parameter
  ArgumentRegisters registers;
  bool lost = false; // what follows can't be matched

public:
  explicit Matcher(const Function &function)
      : function(function), layout(function.getParent()->getDataLayout()), registers(function) {
    // The hidden pointer to a result in memory.
    if (next < function.arg_size() && function.hasParamAttribute(next, Attribute::StructRet))
      take(nullptr);
  }

  std::string result(const DIType *diType) const {
    SmallVector<RegisterPiece, 4> pieces;
    Type *type = function.getReturnType();
    if (type->isVoidTy() || !diType || bytesOf(layout, type) * 8 < bitsOf(diType) ||
        ArgumentRegisters(function).place(type, AttributeSet(), &pieces) != ArgumentPlace::Registers)
      return "-";
    return placeText(pieces);
  }

  /// Whether every lowered parameter has found its source. If not, the optimizer may have changed the signature.
  bool isComplete() const { return !lost && next == function.arg_size(); }

  /// Where a parameter of DITYPE is; "-" if not in registers.
  std::string parameter(const DIType *diType) {
    const DIType *type = plain(diType);
    uint64_t bytes = bitsOf(type) / 8;
    const auto *composite = dyn_cast_or_null<DICompositeType>(type);
    bool isStruct = composite && composite->getTag() != dwarf::DW_TAG_enumeration_type;
    // clang passes __int128 as two halves where it likes.
    bool isSplit = isStruct || (bytes == 16 && type &&
                               (isa<DIBasicType>(type) || type->getTag() == dwarf::DW_TAG_ptr_to_member_type));
    if (lost || !type)
      return "-";
    if (isStruct && isEmpty(*composite))
      return "-"; // takes no place at all
    if (next >= function.arg_size())
      return lose();
    const Argument &first = *function.getArg(next);
    if (first.hasPassPointeeByValueCopyAttr()) {
      take(nullptr); // on the stack
      return "-";
    }
    // What C++ does not allow to be copied into registers, and what AArch64 finds too large. Another pointer is a member.
    bool isByAddress = isStruct && ((composite->getFlags() & DINode::FlagTypePassByReference) || bytes > 16);
    if (isByAddress && first.getType()->isPointerTy()) {
      take(nullptr); // a copy elsewhere, by its address: the register holds no value of the type
      return "-";
    }
    bool wantsPointer = isa<DIDerivedType>(type) && type->getTag() != dwarf::DW_TAG_ptr_to_member_type;
    if (!isSplit && wantsPointer != first.getType()->isPointerTy() && type->getName() != "decltype(nullptr)")
      return lose();
    SmallVector<RegisterPiece, 4> pieces;
    uint64_t seen = 0;
    bool isInRegisters = true;
    while (seen < bytes) {
      if (next >= function.arg_size())
        return lose();
      Type *lowered = function.getArg(next)->getType();
      uint64_t size = bytesOf(layout, lowered);
      // A whole scalar, or a struct's next eightbyte, which may be wider than what is left of it.
      if ((!isSplit && size != bytes && !(size * 8 >= bitsOf(type) && type->getTag() == dwarf::DW_TAG_base_type)) ||
          (isSplit && size > ((bytes - seen + 7) & ~uint64_t(7))))
        return lose();
      isInRegisters &= take(&pieces);
      if (lost)
        return "-";
      seen += isSplit ? ((size + 7) & ~uint64_t(7)) : size;
    }
    return isInRegisters ? placeText(pieces) : "-";
  }

private:
  /// Passes over a lowered parameter; whether it is in registers.
  bool take(SmallVectorImpl<RegisterPiece> *pieces) {
    ArgumentPlace place = registers.place(function.getArg(next)->getType(),
                                          function.getAttributes().getParamAttrs(next), pieces);
    ++next;
    lost |= place == ArgumentPlace::Unknown;
    return place == ArgumentPlace::Registers;
  }
  std::string lose() {
    lost = true;
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

std::string typesText(const Function &function) {
  const DISubprogram *subprogram = function.getSubprogram();
  const DISubroutineType *type = subprogram ? subprogram->getType() : nullptr;
  if (!type || !type->getTypeArray().size())
    return "";
  bool isAArch64 = compat::targetTriple(*function.getParent()).isAArch64();
  DITypeRefArray types = type->getTypeArray();
  SmallVector<StringRef, 8> names = parameterNames(function, *subprogram);
  Matcher matcher(function);
  LayoutWriter writer;
  writer.isX86 = !isAArch64;
  SmallVector<std::string, 8> places;
  unsigned count = 1;
  for (; count < types.size() && types[count]; ++count)
    places.push_back(matcher.parameter(types[count]));
  // The optimizer takes parameters away from functions that it knows all calls of. Then numbers lie: better none.
  if (!matcher.isComplete() && function.hasLocalLinkage())
    places.assign(places.size(), "-");
  std::string text = types[0] ? matcher.result(types[0]) + ":" + writer.write(types[0]) : "-:v";
  for (unsigned i = 1; i < count; ++i)
    text += ";" + escaped(i < names.size() ? names[i] : StringRef()) + ":" + places[i - 1] + ":" + writer.write(types[i]);
  if (count < types.size()) // a null type
    text += ";...:-:v";
  return text;
}

} // namespace ada
