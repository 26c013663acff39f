// A function's name and origin as its source has them.
#pragma once

#include "shared/demangle/demangle.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class Function;
}

namespace ada::pass {

/// The name in the object file: mangled, without LLVM's \01 escape.
llvm::StringRef symbolName(const llvm::Function &function);

Mangling manglingOf(llvm::StringRef symbol);

struct DemangledName {
  std::string full;  // "void ns::f<int>(int)"; the symbol name itself if it is not mangled
  std::string scope; // "ns"; of Rust "std" for the crates that come with rustc; empty for other languages
};
DemangledName demangledName(llvm::StringRef symbol);
/// "-[Counter add:]"
bool isObjectiveCName(llvm::StringRef name);
/// The same for a function of the module. With debug information Objective-C's methods have their names:
/// "-[Counter add:]".
DemangledName demangledName(const llvm::Function &function);

/// Absolute path of the file that defines the function, without "." and "..", from debug information; "" if it has
/// none.
std::string debugInfoPath(const llvm::Function &function);

/// debugInfoPath, or the path of the translation unit as the compiler was given it.
std::string sourcePath(const llvm::Function &function);

/// Line of the definition, 0 if unknown.
unsigned sourceLine(const llvm::Function &function);

/// The function's type as C or C++ would write it, "int (char *, unsigned long)", from debug information; "" without
/// it.
std::string signatureText(const llvm::Function &function);

} // namespace ada::pass
