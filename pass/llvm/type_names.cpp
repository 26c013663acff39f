// Reads scopes of debug information.
#include "type_names.h"

#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace ada::pass {

std::string qualifiedName(const DIType *type) {
  std::string name = type->getName().str();
  const DIScope *scope = type->getScope();
  for (unsigned steps = 0; scope && steps < 16; ++steps) { // broken metadata may be cyclic
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

static bool isBasicString(const DIType *type, const std::string &library) {
  return type &&
         type->getName() == "basic_string<char, " + library + "::char_traits<char>, " + library + "::allocator<char> >";
}

std::string stringName(const DIType *type) {
  const auto *object = dyn_cast_or_null<DICompositeType>(type);
  const auto *space = object ? dyn_cast_or_null<DINamespace>(object->getScope()) : nullptr;
  const DIScope *outer = space ? space->getScope() : nullptr;
  if (!outer || outer->getName() != "std")
    return isBasicString(object, "std") ? qualifiedName(type) : std::string();
  if (isBasicString(object, "std")) // libstdc++'s
    return space->getName() == "__cxx11" ? kStdString : qualifiedName(type);
  // libc++ has all of it in an inline namespace ("__1").
  return space->getExportSymbols() && isBasicString(object, "std::" + space->getName().str()) ? kLibcxxString
                                                                                              : std::string();
}

bool isKnownString(const DIType *type) {
  const std::string name = stringName(type);
  return name == kStdString || name == kLibcxxString;
}

} // namespace ada::pass
