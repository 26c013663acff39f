// Names in object files, which compilers mangle in a way that shows the language, as their source has them.
//
// Library, tool and compiler plugins use it. C++17, without exceptions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ada {

enum class Mangling : uint8_t {
  None,
  Cpp,   ///< _Z…, by the Itanium C++ ABI
  Rust,  ///< _R… (v0), or _ZN…17h and 16 hexadecimal digits E (legacy)
  D,     ///< _D…
  Flang, ///< _QM and a module, P and a procedure: LLVM's Fortran
};

struct SymbolParts {
  Mangling mangling = Mangling::None;
  std::string_view base;   ///< what is mangled, without the extra underscores of macOS; all of it for Mangling::None
  std::string_view suffix; ///< what a compiler appended: ".cold", ".llvm.123"; empty for Mangling::None
};

/// Recognises the mangling. The parts point into `symbol`.
SymbolParts partsOfSymbol(std::string_view symbol);

/// The name that `base` stands for; "" if it is not well-formed, or if the build lacks the demangler (libiberty for
/// Rust, D, and C++'s _Float16, __bf16 and _BitInt). The hash that Rust adds to a name or a crate is left out.
std::string demangledBase(Mangling mangling, std::string_view base);

} // namespace ada
