// type_text.cpp - writes types by their layout, and finds the registers that carry each parameter.
#include "type_text.h"
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

/// Gives out argument registers in order, as both conventions do for what they pass in registers at all.
class Registers {
  bool isAArch64;
  unsigned general = 0, vector = 0;

public:
  explicit Registers(bool isAArch64) : isAArch64(isAArch64) {}

  /// The pieces that carry a value of TYPE, appended to WHERE; false if it is (or may be) in memory. Then nothing behind it is sure either.
  bool place(Type *type, std::string &where) {
    auto piece = [&](char kind, unsigned number, unsigned bytes) {
      where += (where.empty() ? "" : "+") + std::string(1, kind) + std::to_string(number) +
               (bytes == 8 ? "" : "." + std::to_string(bytes));
    };
    if (auto *integer = dyn_cast<IntegerType>(type)) {
      unsigned count = (integer->getBitWidth() + 63) / 64;
      if (isAArch64 && count == 2)
        general += general & 1; // begins in an even register
      if (count > 2 || general + count > (isAArch64 ? 8u : 6u))
        return false;
      for (unsigned i = 0; i < count; ++i)
        piece('i', general++, 8);
      return true;
    }
    if (type->isPointerTy()) {
      if (general + 1 > (isAArch64 ? 8u : 6u))
        return false;
      piece('i', general++, 8);
      return true;
    }
    bool wide = type->isFP128Ty();
    if (type->isFloatTy() || type->isDoubleTy() || type->isHalfTy() || wide) {
      if (vector == 8)
        return false;
      piece('v', vector++, wide ? 16 : type->isFloatTy() ? 4 : type->isHalfTy() ? 2 : 8);
      return true;
    }
    if (auto *fixed = dyn_cast<FixedVectorType>(type)) {
      uint64_t bits = fixed->getPrimitiveSizeInBits().getFixedValue();
      if (vector == 8 || (bits != 64 && bits != 128))
        return false;
      piece('v', vector++, bits / 8);
      return true;
    }
    if (auto *array = dyn_cast<ArrayType>(type)) {
      for (uint64_t i = 0; i < array->getNumElements(); ++i)
        if (i == 8 || !place(array->getElementType(), where))
          return false;
      return true;
    }
    if (auto *structure = dyn_cast<StructType>(type)) {
      for (Type *element : structure->elements())
        if (!place(element, where))
          return false;
      return true;
    }
    return false;
  }
};

/// How many bytes of a parameter's own value the lowered TYPE holds.
uint64_t bytesOf(const DataLayout &layout, Type *type) { return layout.getTypeStoreSize(type).getFixedValue(); }

/// Matches source parameters with lowered ones.
class Matcher {
  const Function &function;
  const DataLayout &layout;
  bool isAArch64;
  unsigned next = 0; // lowered parameter
  Registers registers;
  bool lost = false; // what follows can't be matched

public:
  Matcher(const Function &function, bool isAArch64)
      : function(function), layout(function.getParent()->getDataLayout()), isAArch64(isAArch64), registers(isAArch64) {
    // The hidden pointer to a result in memory: a general register on x86-64, x8 on AArch64.
    if (next < function.arg_size() && function.hasParamAttribute(next, Attribute::StructRet)) {
      std::string ignored;
      if (!isAArch64)
        registers.place(function.getArg(next)->getType(), ignored);
      ++next;
    }
  }

  std::string result() const {
    std::string where;
    Type *type = function.getReturnType();
    if (type->isVoidTy() || !Registers(isAArch64).place(type, where))
      return "-";
    return where;
  }

  /// Where a parameter of DITYPE is; "-" if not in registers.
  std::string parameter(const DIType *diType) {
    const DIType *type = plain(diType);
    uint64_t bytes = bitsOf(type) / 8;
    const auto *composite = dyn_cast_or_null<DICompositeType>(type);
    bool isStruct = composite && composite->getTag() != dwarf::DW_TAG_enumeration_type;
    // clang passes __int128 as two halves on x86-64.
    bool isSplit = isStruct || (bytes == 16 && isa_and_nonnull<DIBasicType>(type));
    if (lost || !type)
      return "-";
    if (isStruct && isEmpty(*composite))
      return "-"; // takes no place at all
    if (next >= function.arg_size())
      return lose();
    const Argument &first = *function.getArg(next);
    if (first.hasPassPointeeByValueCopyAttr()) {
      ++next; // on the stack
      return isStruct ? "-" : lose();
    }
    if (isStruct && first.getType()->isPointerTy() && !(bytes == 8 && holdsPointer(*composite))) {
      // A copy elsewhere, by its address: the register holds no value of the type.
      std::string ignored;
      ++next;
      return registers.place(first.getType(), ignored) ? "-" : lose();
    }
    std::string where;
    uint64_t seen = 0;
    while (seen < bytes) {
      if (next >= function.arg_size())
        return lose();
      Type *lowered = function.getArg(next)->getType();
      uint64_t size = bytesOf(layout, lowered);
      // A whole scalar, or a struct's next eightbyte, which may be wider than what is left of it.
      if ((!isSplit && size != bytes && !(size * 8 >= bitsOf(type) && type->getTag() == dwarf::DW_TAG_base_type)) ||
          (isSplit && size > ((bytes - seen + 7) & ~uint64_t(7))))
        return lose();
      if (!registers.place(lowered, where))
        return lose();
      ++next;
      seen += isSplit ? ((size + 7) & ~uint64_t(7)) : size;
    }
    return where.empty() ? "-" : where;
  }

private:
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
  /// A struct of one pointer is lowered to that pointer.
  static bool holdsPointer(const DICompositeType &type) {
    if (type.getFlags() & DINode::FlagTypePassByReference)
      return false;
    for (const DINode *node : type.getElements()) {
      const auto *member = dyn_cast<DIDerivedType>(node);
      if (!member || !isMember(*member))
        continue;
      const DIType *inner = plain(member->getBaseType());
      if (const auto *composite = dyn_cast_or_null<DICompositeType>(inner))
        return holdsPointer(*composite);
      return isa_and_nonnull<DIDerivedType>(inner);
    }
    return false;
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
  Matcher matcher(function, isAArch64);
  LayoutWriter writer;
  writer.isX86 = !isAArch64;
  std::string text = types[0] ? matcher.result() + ":" + writer.write(types[0]) : "-:v";
  for (unsigned i = 1; i < types.size(); ++i) {
    if (!types[i]) { // "..."
      text += ";...:-:v";
      break;
    }
    std::string where = matcher.parameter(types[i]);
    text += ";" + escaped(i < names.size() ? names[i] : StringRef()) + ":" + where + ":" + writer.write(types[i]);
  }
  return text;
}

} // namespace ada
