// Reads types from debug information and writes them as text.
#include "type_layout.h"
#include "llvm_compat.h"
#include "type_names.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace ada::pass {

const DIType *plain(const DIType *type) {
  for (unsigned steps = 0; steps < 32; ++steps) { // broken metadata may be cyclic
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

bool isNullType(const DIType *type) { return type && type->getName() == "decltype(nullptr)"; }

bool isMember(const DIDerivedType &member) {
  return (member.getTag() == dwarf::DW_TAG_member && !member.isStaticMember()) ||
         member.getTag() == dwarf::DW_TAG_inheritance;
}

uint64_t dataBytes(const DIType *type, uint64_t offset, unsigned depth) {
  type = plain(type);
  const uint64_t bits = isNullType(type) ? 64 : bitsOf(type);
  if (!type || bits == 0 || offset >= 512 || depth == 32)
    return 0;
  const auto range = [](uint64_t first, uint64_t size) {
    const uint64_t from = first / 8, end = std::min<uint64_t>(64, (first + size + 7) / 8);
    const uint64_t below = (uint64_t(1) << from) - 1;
    return (end == 64 ? ~uint64_t(0) : (uint64_t(1) << end) - 1) & ~below;
  };
  const auto *composite = dyn_cast<DICompositeType>(type);
  if (!composite || composite->getTag() == dwarf::DW_TAG_enumeration_type)
    return range(offset, bits);
  if (composite->getTag() == dwarf::DW_TAG_array_type)
    return dataBytes(composite->getBaseType(), 0, depth + 1) ? range(offset, bits) : 0;
  uint64_t found = 0;
  for (const DINode *node : composite->getElements()) {
    if (const auto *part = dyn_cast<DICompositeType>(node); part && part->getTag() == dwarf::DW_TAG_variant_part)
      return range(offset, bits); // one of Rust's enumerations
    if (const auto *member = dyn_cast<DIDerivedType>(node); member && isMember(*member)) {
      const uint64_t at = offset + member->getOffsetInBits();
      if (at < 512)
        found |=
            member->isBitField() ? range(at, member->getSizeInBits()) : dataBytes(member->getBaseType(), at, depth + 1);
    }
  }
  return found;
}

bool mayHoldAddress(const DIType *type, uint64_t offset, unsigned depth) {
  type = plain(type);
  if (!type || depth == 32)
    return false;
  const auto *composite = dyn_cast<DICompositeType>(type);
  if (!composite)
    return offset == 0 &&
           (isNullType(type) || (isa<DIDerivedType>(type) && type->getTag() != dwarf::DW_TAG_ptr_to_member_type));
  if (composite->getTag() == dwarf::DW_TAG_array_type) {
    const uint64_t element = bitsOf(composite->getBaseType());
    return element && offset < bitsOf(type) && mayHoldAddress(composite->getBaseType(), offset % element, depth + 1);
  }
  return any_of(composite->getElements(), [&](const DINode *node) {
    const auto *member = dyn_cast<DIDerivedType>(node);
    return member && isMember(*member) && member->getOffsetInBits() <= offset &&
           mayHoldAddress(member->getBaseType(), offset - member->getOffsetInBits(), depth + 1);
  });
}

std::optional<unsigned> bitIntWidth(const DIType *type) {
  const auto *basic = dyn_cast_or_null<DIBasicType>(plain(type));
  StringRef name = basic ? basic->getName() : "";
  name.consume_front("unsigned ");
  if (!name.consume_front("_BitInt"))
    return std::nullopt;
  unsigned width = 0; // LLVM 21 and earlier don't say it
  return name.consume_front("(") && !name.consumeInteger(10, width) ? width : 0;
}

namespace {

/// How much of a struct behind a pointer is described. No more than that is recorded either.
constexpr uint64_t kMaxPointeeBytes = 256;
constexpr unsigned kMaxPointeeMembers = 32;

/// The element type of a std::vector whose first two words are pointers to the beginning and the end of its elements:
/// libstdc++'s and libc++'s, except those of bool. Null for others.
const DIType *vectorElement(const DICompositeType *type) {
  const auto *space = dyn_cast_or_null<DINamespace>(type->getScope());
  if (space && space->getExportSymbols()) // libc++'s std::__1
    space = dyn_cast_or_null<DINamespace>(space->getScope());
  if (!space || space->getName() != "std" || !compat::startsWith(type->getName(), "vector<") || bitsOf(type) != 192)
    return nullptr;
  for (const DINode *node : type->getTemplateParams())
    if (const auto *parameter = dyn_cast<DITemplateTypeParameter>(node))
      return parameter->getType();
  return nullptr;
}

std::string unknown(const DIType *type) {
  return "?" + std::to_string(bitsOf(type)) + "(" + escaped(type->getName()) + ")";
}

std::string pointee(const DIDerivedType *type) {
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
  if (const std::string name = stringName(plain(target)); !name.empty())
    return text + name;
  if (!target->getName().empty())
    return text + qualifiedName(target);
  const auto *derived = dyn_cast<DIDerivedType>(target);
  if (derived && derived->getTag() == dwarf::DW_TAG_pointer_type)
    return text + pointee(derived) + " *";
  return text + "?";
}

} // namespace

std::string TypeLayout::write(const DIType *original) {
  const DIType *type = plain(original);
  if (!type)
    return "v";
  if (depth_ == 6)
    return unknown(type);
  ++depth_;
  std::string text = writePlain(type);
  --depth_;
  return text;
}

std::string TypeLayout::target(const DIDerivedType *pointer) {
  const DIType *type = plain(pointer->getBaseType());
  if (!pointees_ || depth_ != 1 || !type || isa<DISubroutineType>(type) || !stringName(type).empty())
    return "";
  const auto *basic = dyn_cast<DIBasicType>(type);
  if (basic && basic->getName() == "char" && pointer->getTag() == dwarf::DW_TAG_pointer_type)
    return ""; // a text
  const auto *composite = dyn_cast<DICompositeType>(type);
  const DIType *vector = composite ? vectorElement(composite) : nullptr;
  const std::string one = element(vector ? vector : type);
  if (vector || !one.empty())
    return one.empty() || (vector && one == "b")
               ? ""
               : (vector ? "#" : "*") + std::to_string(bitsOf(vector ? vector : type) / 8) + one;
  Members found;
  if (composite && composite->getTag() != dwarf::DW_TAG_union_type)
    addMembers(composite, 0, found);
  return found.count == 0 ? ""
                          : "*" + std::to_string(found.bytes) + "{" + escaped(composite->getName()) + found.text + "}";
}

std::string TypeLayout::element(const DIType *type) {
  const auto *composite = dyn_cast_or_null<DICompositeType>(plain(type));
  const uint64_t bits = bitsOf(type);
  if (bits == 0 || bits % 8 || bits > 128 || (composite && composite->getTag() != dwarf::DW_TAG_enumeration_type))
    return "";
  const std::string text = write(type);
  return compat::startsWith(text, "?") || text == "v" ? "" : text;
}

void TypeLayout::addMembers(const DICompositeType *type, uint64_t offset, Members &found) {
  for (const DINode *node : type->getElements()) {
    const auto *member = dyn_cast<DIDerivedType>(node);
    if (!member || !isMember(*member) || member->isBitField() || found.count == kMaxPointeeMembers)
      continue;
    const uint64_t at = offset + member->getOffsetInBits() / 8, bytes = bitsOf(member->getBaseType()) / 8;
    const DIType *memberType = plain(member->getBaseType());
    const auto *composite = dyn_cast_or_null<DICompositeType>(memberType);
    const bool isClass = composite && (composite->getTag() == dwarf::DW_TAG_structure_type ||
                                       composite->getTag() == dwarf::DW_TAG_class_type);
    if (member->getTag() == dwarf::DW_TAG_inheritance) {
      if (isClass && !(member->getFlags() & DINode::FlagVirtual) && depth_ < 6) {
        ++depth_;
        addMembers(composite, at, found);
        --depth_;
      }
      continue;
    }
    if (at + bytes > kMaxPointeeBytes || bytes == 0 || compat::startsWith(member->getName(), "_vptr"))
      continue;
    const std::string written = isClass && bytes > 16 ? "" : write(member->getBaseType());
    if (written.empty() || written == "v" || compat::startsWith(written, "?"))
      continue;
    ++found.count;
    found.bytes = std::max(found.bytes, at + bytes);
    found.text +=
        (found.text.empty() ? "|" : ",") + escaped(member->getName()) + "@" + std::to_string(at) + ":" + written;
  }
}

std::string TypeLayout::writePlain(const DIType *type) {
  if (isNullType(type))
    return "p(void)";
  std::string bits = std::to_string(bitsOf(type));
  if (const std::optional<unsigned> width = bitIntWidth(type)) {
    if (*width == 0) // neither is how it is padded
      return depth_ > 1 ? "v" : unknown(type);
    bits = std::to_string(*width);
  }
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
      return bits == "0" ? "v" : "u" + bits; // Rust's ()
    case dwarf::DW_ATE_float:
      if (basic->getName() == "__bf16" || basic->getName() == "bfloat16_t")
        return "g16";
      // x87's long double has 80 bits in 16 bytes; AArch64's and __float128 have 128.
      return basic->getName() == "long double" && basic->getSizeInBits() == 128 && isX86_ ? "f80" : "f" + bits;
    default:
      return unknown(type);
    }
  }
  if (const auto *composite = dyn_cast<DICompositeType>(type))
    return writeComposite(composite);
  if (const auto *derived = dyn_cast<DIDerivedType>(type)) {
    switch (derived->getTag()) {
    case dwarf::DW_TAG_pointer_type:
      return "p(" + escaped(pointee(derived)) + ")" + target(derived);
    case dwarf::DW_TAG_reference_type:
    case dwarf::DW_TAG_rvalue_reference_type:
      return "r(" + escaped(pointee(derived)) + ")" + target(derived);
    default:
      return unknown(type);
    }
  }
  return unknown(type);
}

std::string TypeLayout::writeComposite(const DICompositeType *type) {
  if (type->getTag() == dwarf::DW_TAG_enumeration_type) {
    // A scoped enumerator is written with its type, as the source would.
    bool scoped = type->getFlags() & DINode::FlagEnumClass;
    bool isUnsigned = true;
    std::string text;
    for (const DINode *node : type->getElements()) {
      const auto *enumerator = dyn_cast<DIEnumerator>(node);
      if (!enumerator || ++enumerators_ > 64) // only a few have names; the others are shown as numbers
        continue;
      isUnsigned &= enumerator->isUnsigned();
      SmallString<24> value;
      enumerator->getValue().toString(value, 10, !enumerator->isUnsigned());
      text += text.empty() ? "|" : ",";
      text += escaped(scoped ? (type->getName() + "::" + enumerator->getName()).str() : enumerator->getName().str());
      text += "=" + value.str().str();
    }
    if (const auto *base = dyn_cast_or_null<DIBasicType>(plain(type->getBaseType())))
      isUnsigned = base->getEncoding() == dwarf::DW_ATE_unsigned ||
                   base->getEncoding() == dwarf::DW_ATE_unsigned_char || base->getEncoding() == dwarf::DW_ATE_boolean;
    return "e" + std::to_string(bitsOf(type)) + (isUnsigned ? "u" : "s") + "(" + escaped(type->getName()) + text + ")";
  }
  // What is in a larger type is not looked for.
  if (!type->isForwardDecl() && bitsOf(type) > 0 && bitsOf(type) <= 512 &&
      !dataBytes(type)) // an array of empty structs
    return "{" + escaped(type->getName()) + "}";
  if (type->getTag() == dwarf::DW_TAG_array_type) {
    const DINodeArray dimensions = type->getElements();
    const auto *range = dimensions.size() == 1 ? dyn_cast<DISubrange>(dimensions[0]) : nullptr;
    const ConstantInt *count = range ? compat::constantCount(*range) : nullptr;
    const std::string one = count && bitsOf(type) <= 512 ? element(type->getBaseType()) : "";
    return one.empty() ? unknown(type) : "a" + std::to_string(count->getZExtValue()) + "(" + one + ")";
  }
  bool isStruct = type->getTag() == dwarf::DW_TAG_structure_type || type->getTag() == dwarf::DW_TAG_class_type;
  if (!isStruct || bitsOf(type) > kMaxStructBits)
    return unknown(type);
  std::string text;
  for (const DINode *node : type->getElements()) {
    // Rust's enumerations with data: which members there are depends on the value.
    if (const auto *part = dyn_cast<DICompositeType>(node); part && part->getTag() == dwarf::DW_TAG_variant_part)
      return unknown(type);
    const auto *member = dyn_cast<DIDerivedType>(node);
    if (!member || !isMember(*member))
      continue;
    if (member->isBitField() || member->getOffsetInBits() % 8)
      return unknown(type);
    const std::string written = write(member->getBaseType());
    // A base class without a description is shown as one value, which needs a name.
    const DIType *base = member->getTag() == dwarf::DW_TAG_inheritance ? plain(member->getBaseType()) : nullptr;
    const StringRef name = base && compat::startsWith(written, "?") ? base->getName() : member->getName();
    text += text.empty() ? "|" : ",";
    text += escaped(name) + "@" + std::to_string(member->getOffsetInBits() / 8) + ":" + written;
  }
  return "{" + escaped(type->getName()) + text + "}";
}

} // namespace ada::pass
