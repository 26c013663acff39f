// Reads scopes of debug information.
#include "type_names.h"

#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace ada {

std::string qualifiedName(const DIType *type) {
  std::string name = type->getName().str();
  const DIScope *scope = type->getScope();
  for (unsigned steps = 0; scope && steps < 16; ++steps) { // cyclic metadata would be broken
    if (const auto *space = dyn_cast<DINamespace>(scope)) {
      if (!space->getExportSymbols() && !space->getName().empty())
        name = (space->getName() + "::" + name).str();
    } else if (!isa<DICompositeType>(scope)) {
      break;
    } else if (!scope->getName().empty()) {
      name = (scope->getName() + "::" + name).str();
    }
    scope = scope->getScope();
  }
  return name;
}

std::string stringName(const DIType *type) {
  const auto *object = dyn_cast_or_null<DICompositeType>(type);
  if (!object || object->getName() != "basic_string<char, std::char_traits<char>, std::allocator<char> >")
    return {};
  const auto *space = dyn_cast_or_null<DINamespace>(object->getScope());
  if (!space)
    return {};
  const DIScope *outer = space->getScope();
  const bool isKnown = space->getName() == "__cxx11" && outer && outer->getName() == "std";
  return isKnown ? "std::string" : qualifiedName(type);
}

} // namespace ada
