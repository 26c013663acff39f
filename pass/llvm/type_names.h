// Names of types as in the source, from debug information.
#pragma once

#include <string>

namespace llvm {
class DIType;
}

namespace ada {

/// The name of TYPE with the namespaces and classes that it is in, except inline and unnamed ones.
std::string qualifiedName(const llvm::DIType *type);

/// The names by which the runtime recognizes strings (argument_contents.h): laid out as in today's libstdc++, and as in
/// libc++.
inline constexpr const char *kStdString = "std::string", *kLibcxxString = "std::__1::string";
/// If TYPE is the class behind std::string: one of these names, or the name of the class for other libraries and
/// versions. Otherwise "".
std::string stringName(const llvm::DIType *type);
/// Whether it is one of these.
bool isKnownString(const llvm::DIType *type);

} // namespace ada
