// Names of types as the source has them, out of debug information.
#ifndef ADA_PASS_TYPE_NAMES_H
#define ADA_PASS_TYPE_NAMES_H

#include <string>

namespace llvm {
class DIType;
}

namespace ada {

/// The name of TYPE with the namespaces and classes that it is in, but for those that are inline or have no name.
std::string qualifiedName(const llvm::DIType *type);

/// What the runtime knows of a string by (argument_contents.h): laid out as libstdc++ does it today, and libc++'s.
inline constexpr const char *kStdString = "std::string", *kLibcxxString = "std::__1::string";
/// If TYPE is the class behind std::string one of these, of other libraries and versions the name of the class.
/// Otherwise "".
std::string stringName(const llvm::DIType *type);
/// It is one of these.
bool isKnownString(const llvm::DIType *type);

} // namespace ada

#endif
