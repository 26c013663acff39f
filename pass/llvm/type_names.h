// Names of types as in the source, from debug information.
#pragma once

#include "common/type_grammar.h"

namespace llvm {
class DIType;
}

namespace ada::pass {

/// The name of TYPE with the namespaces and classes that it is in, except inline and unnamed ones.
std::string qualifiedName(const llvm::DIType *type);

/// If TYPE is the class behind std::string: one of these names, or the name of the class for other libraries and
/// versions. Otherwise "".
std::string stringName(const llvm::DIType *type);
/// Whether it is one of these.
bool isKnownString(const llvm::DIType *type);

} // namespace ada::pass
