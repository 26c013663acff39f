// Finds how rustc passes a value.
#include "rust_values.h"
#include "llvm_compat.h"
#include "type_layout.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace ada::pass {

bool isRust(const Function &function) {
  const DISubprogram *subprogram = function.getSubprogram();
  const DICompileUnit *unit = subprogram ? subprogram->getUnit() : nullptr;
  return unit && compat::sourceLanguage(*unit) == dwarf::DW_LANG_Rust;
}

bool hasRustResultAddress(const Function &function, const DIType *result) {
  return function.arg_size() && function.getReturnType()->isVoidTy() && bitsOf(result) > 0 &&
         (function.hasParamAttribute(0, Attribute::StructRet) || compat::isDeadOnUnwind(*function.getArg(0)));
}

/// A number or an address can't be carried by another kind of type; what is in a struct can.
static bool isOfKind(const DIType *type, const Type *lowered) {
  if (const auto *basic = dyn_cast<DIBasicType>(type))
    return basic->getEncoding() == dwarf::DW_ATE_float ? lowered->isFloatingPointTy() : lowered->isIntegerTy();
  return !isa<DIDerivedType>(type) || lowered->isPointerTy();
}

static const DICompositeType *variantPart(const DIType *type) {
  const auto *composite = dyn_cast_or_null<DICompositeType>(type);
  for (const DINode *node : composite ? composite->getElements() : DINodeArray())
    if (const auto *part = dyn_cast<DICompositeType>(node); part && part->getTag() == dwarf::DW_TAG_variant_part)
      return part;
  return nullptr;
}

bool isRustEnumeration(const DIType *type) { return variantPart(plain(type)); }

namespace {

/// What is known of the scalars that a value consists of.
struct Scalars {
  unsigned count = 0;
  bool isKnown = true; // nothing is an enumeration, an array or a union
  bool mayBeginWithAddress = false;
};

void addScalars(const DIType *original, uint64_t offset, Scalars &found, unsigned depth) {
  const DIType *type = plain(original);
  const auto *composite = dyn_cast_or_null<DICompositeType>(type);
  if (!type || bitsOf(type) == 0)
    return;
  if (!composite || composite->getTag() == dwarf::DW_TAG_enumeration_type) {
    ++found.count;
    found.mayBeginWithAddress |= offset == 0 && isa<DIDerivedType>(type);
    return;
  }
  const DICompositeType *variants = variantPart(type);
  found.isKnown &= !variants && composite->getTag() == dwarf::DW_TAG_structure_type && depth < 16;
  if (composite->getTag() == dwarf::DW_TAG_array_type || depth == 16) // an array is never one of two parts
    return;
  for (const DINode *node : (variants ? variants : composite)->getElements())
    if (const auto *member = dyn_cast<DIDerivedType>(node); member && isMember(*member))
      addScalars(member->getBaseType(), offset + member->getOffsetInBits(), found, depth + 1);
}

} // namespace

/// Whether LOWERED, an address, is where a value of 9 to 16 bytes is, rather than the first of its two parts. Nothing
/// if that is not known.
static std::optional<bool> isAddressOf(const DIType *type, AttributeSet attributes, uint64_t bytes, bool isOptimized) {
  Scalars found;
  addScalars(type, 0, found, 0);
  if (attributes.getDereferenceableBytes() == bytes || !found.mayBeginWithAddress)
    return true;
  if (isOptimized || (found.isKnown && found.count == 2))
    return false;
  return std::nullopt; // without optimization, parameters don't have that attribute
}

std::optional<RustFit> fitRust(const DIType *original, ArrayRef<Type *> lowered, AttributeSet attributes,
                               const DataLayout &layout, bool isOptimized) {
  const DIType *type = plain(original);
  const auto *composite = dyn_cast_or_null<DICompositeType>(type);
  if (!type || (composite && composite->isForwardDecl()) || bitsOf(type) % 8)
    return std::nullopt;
  const uint64_t bytes = bitsOf(type) / 8;
  if (bytes == 0) // it has only one value
    return RustFit{};
  if (lowered.empty() || !lowered[0]->isSized() || lowered[0]->isVoidTy())
    return std::nullopt;
  Type *first = lowered[0];
  const uint64_t firstBytes = layout.getTypeStoreSize(first).getFixedValue();
  const bool isStruct = composite && composite->getTag() != dwarf::DW_TAG_enumeration_type;
  if (isStruct && first->isPointerTy() && bytes > firstBytes) {
    const std::optional<bool> isAddress = bytes > 16 || attributes.hasAttribute(Attribute::ByVal)
                                              ? true
                                              : isAddressOf(type, attributes, bytes, isOptimized);
    if (!isAddress)
      return std::nullopt;
    if (*isAddress)
      return RustFit{1, true};
  }
  if (firstBytes == bytes || (isStruct && first->isArrayTy() && firstBytes == alignTo(bytes, 8)))
    return isOfKind(type, first) ? std::optional<RustFit>(RustFit{1}) : std::nullopt;
  if (!isStruct || lowered.size() < 2 || !lowered[1]->isSized() || firstBytes > bytes)
    return std::nullopt;
  const Align firstAlign = layout.getABITypeAlign(first), secondAlign = layout.getABITypeAlign(lowered[1]);
  const uint64_t at = alignTo(firstBytes, secondAlign);
  const uint64_t secondBytes = layout.getTypeStoreSize(lowered[1]).getFixedValue();
  if (alignTo(at + secondBytes, std::max(firstAlign, secondAlign)) != bytes)
    return std::nullopt;
  return RustFit{2, false, unsigned(firstBytes), unsigned(at - firstBytes), unsigned(secondBytes)};
}

} // namespace ada::pass
