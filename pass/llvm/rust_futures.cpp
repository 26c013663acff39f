// Recognizes the functions that poll and drop futures by the types of their parameters.
#include "rust_futures.h"
#include "llvm_compat.h"
#include "parameter_matcher.h"
#include "rust_values.h"
#include "type_layout.h"
#include "type_names.h"
#include "type_text.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace ada::pass {

namespace {

/// The variants of TYPE if it is a future's: a member that only the compiler sees tells which one there is.
const DICompositeType *variantsOf(const DICompositeType &type) {
  for (const DINode *node : type.getElements())
    if (const auto *part = dyn_cast<DICompositeType>(node); part && part->getTag() == dwarf::DW_TAG_variant_part)
      if (const DIDerivedType *state = part->getDiscriminator(); state && state->getName() == "__state")
        return part;
  return nullptr;
}

const DICompositeType *pointedTo(const DIType *pointer) {
  const auto *derived = dyn_cast_or_null<DIDerivedType>(plain(pointer));
  const bool isPointer = derived && derived->getTag() == dwarf::DW_TAG_pointer_type;
  return isPointer ? dyn_cast_or_null<DICompositeType>(plain(derived->getBaseType())) : nullptr;
}

/// The only member of TYPE that takes room, if it begins where TYPE does.
const DIType *onlyMember(const DICompositeType &type) {
  const DIType *found = nullptr;
  for (const DINode *node : type.getElements())
    if (const auto *member = dyn_cast<DIDerivedType>(node); member && isMember(*member) && bitsOf(member)) {
      if (found || member->getOffsetInBits() != 0)
        return nullptr;
      found = member->getBaseType();
    }
  return found;
}

/// The future in TYPE. rustc 1.63 wraps each: GenFuture<F>.
const DICompositeType *unwrapped(const DICompositeType *type) {
  for (unsigned depth = 0; type && !variantsOf(*type) && depth < 4; ++depth)
    type = dyn_cast_or_null<DICompositeType>(plain(onlyMember(*type)));
  return type;
}

/// Whether the environment TYPE is that of the function SUBPROGRAM: {async_fn_env#0}<T> of {async_fn#0}<T>. Other
/// functions take futures, too.
bool isEnvironment(const DICompositeType &type, const DISubprogram &subprogram) {
  auto [kind, number] = type.getName().take_until([](char c) { return c == '}'; }).split("_env#");
  return !number.empty() && type.getScope() == subprogram.getScope() &&
         compat::startsWith(subprogram.getName(), (kind + "#" + number + "}").str());
}

/// The future that SUBPROGRAM polls or drops, by the types of its parameters: Pin<&mut F>, *mut F.
const DICompositeType *futureOf(const DISubprogram &subprogram, bool &isDropped) {
  const DISubroutineType *signature = subprogram.getType();
  if (!signature || signature->getTypeArray().size() < 2)
    return nullptr;
  const DIType *first = plain(signature->getTypeArray()[1]);
  isDropped = compat::startsWith(subprogram.getName(), "drop_in_place<");
  if (isDropped)
    return unwrapped(pointedTo(first));
  const auto *pin = dyn_cast_or_null<DICompositeType>(first);
  if (!pin || !compat::startsWith(pin->getName(), "Pin<&mut "))
    return nullptr;
  const DICompositeType *type = pointedTo(onlyMember(*pin));
  const bool isPollOfWrapper =
      type && compat::startsWith(subprogram.getName(), "poll<") && compat::startsWith(type->getName(), "GenFuture<");
  if (isPollOfWrapper) // the optimizer may inline what it calls
    return unwrapped(type);
  return type && isEnvironment(*type, subprogram) ? type : nullptr;
}

/// The lowered parameter that carries the first one of the source.
std::optional<unsigned> firstParameter(const Function &function) {
  if (function.hasFnAttribute(kAttrNumbered)) {
    for (unsigned i = 0; i < function.arg_size(); ++i)
      if (compat::parameterAttributes(function, i).getAttribute(kAttrParameter).getValueAsString() == "1/0")
        return i;
    return std::nullopt;
  }
  const DITypeRefArray types = function.getSubprogram()->getType()->getTypeArray();
  const unsigned number =
      function.hasParamAttribute(0, Attribute::StructRet) || hasRustResultAddress(function, types[0]) ? 1 : 0;
  return number < function.arg_size() ? std::optional<unsigned>(number) : std::nullopt;
}

std::string stateType(const RustFuture &future) {
  constexpr unsigned kMaxNamed = 64;
  const std::string bits = std::to_string(bitsOf(future.state));
  std::string text;
  unsigned count = 0;
  for (const DINode *node : future.variants->getElements()) {
    const auto *variant = dyn_cast<DIDerivedType>(node);
    const auto *value = variant ? dyn_cast_or_null<ConstantInt>(variant->getDiscriminantValue()) : nullptr;
    if (!value || count == kMaxNamed)
      continue;
    std::string name = variant->getBaseType()->getName().str();
    if (StringRef(name).contains("Suspend") && variant->getLine())
      name += " (line " + std::to_string(variant->getLine()) + ")";
    text += (count++ ? "," : "|") + escaped(name) + "=" + std::to_string(value->getZExtValue());
  }
  return "e" + bits + "u(state" + text + ")";
}

} // namespace

std::optional<RustFuture> rustFuture(const Function &function) {
  if (!isRust(function) || function.arg_empty())
    return std::nullopt;
  RustFuture future{};
  future.type = futureOf(*function.getSubprogram(), future.isDropped);
  future.variants = future.type ? variantsOf(*future.type) : nullptr;
  const std::optional<unsigned> address = future.variants ? firstParameter(function) : std::nullopt;
  if (!address || !function.getArg(*address)->getType()->isPointerTy())
    return std::nullopt;
  future.address = *address;
  future.state = future.variants->getDiscriminator();
  const uint64_t bits = bitsOf(future.state);
  return bits == 8 || bits == 16 || bits == 32 ? std::optional<RustFuture>(future) : std::nullopt;
}

std::optional<unsigned> stateRegister(const Function &function, const RustFuture &future, StackArguments stack) {
  ArgumentRegisters registers(function, stack);
  for (unsigned i = 0; i < function.arg_size(); ++i)
    registers.place(function.getArg(i)->getType(), compat::parameterAttributes(function, i));
  SmallVector<ValuePiece, 1> pieces;
  const bool hasRegister =
      registers.place(Type::getInt64Ty(function.getContext()), AttributeSet(), &pieces) == ArgumentPlace::Registers &&
      pieces.size() == 1;
  return hasRegister && !isUnread(function, future.address) ? std::optional<unsigned>(pieces[0].number) : std::nullopt;
}

Value *stateOf(IRBuilder<> &builder, Function &function, const RustFuture &future) {
  // It is read here, whatever the function did without the hook.
  for (Attribute::AttrKind kind : {Attribute::ReadNone, Attribute::WriteOnly})
    function.removeParamAttr(future.address, kind);
  Value *start = builder.CreatePointerCast(function.getArg(future.address), compat::pointerType(function.getContext()));
  Value *at = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), start, future.state->getOffsetInBits() / 8);
  Type *type = builder.getIntNTy(unsigned(bitsOf(future.state)));
  Value *state = builder.CreateAlignedLoad(type, builder.CreatePointerCast(at, compat::pointerTo(type)), Align(1));
  return builder.CreateZExt(state, builder.getInt64Ty());
}

std::string typesText(const Function &function, const RustFuture &future, StackArguments stack) {
  ArgumentRegisters registers(function, stack);
  SmallVector<ValuePiece, 1> pieces;
  for (unsigned i = 0; i <= future.address; ++i) {
    pieces.clear();
    registers.place(function.getArg(i)->getType(), compat::parameterAttributes(function, i), &pieces);
  }
  const std::string state = stateType(future), bits = std::to_string(bitsOf(future.type)),
                    bytes = std::to_string(bitsOf(future.type) / 8), name = escaped(qualifiedName(future.type));
  const std::optional<unsigned> number = stateRegister(function, future, stack);
  // The size tells readers whether a future is inside another.
  return (future.isDropped ? "-:v" : "i0:" + state) + ";future:" + placeText(pieces.data(), pieces.size()) + ":p(" +
         name + ")*" + bytes + "?" + bits + "(" + name + ");state:" + (number ? "i" + std::to_string(*number) : "-") +
         ":" + state;
}

} // namespace ada::pass
