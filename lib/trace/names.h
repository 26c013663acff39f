// Function names for people: demangling, and a short form for tables and trees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ada {

/// Demangles a name of C++, Rust or D (also with the extra underscore of macOS).
/// Other names come back unchanged. Suffixes that compilers append are kept in brackets where they have a meaning,
/// "f(int) [.resume]", and dropped where they only make the name unique (".llvm.123", ".__uniq.123").
std::string demangle(std::string_view name);

/// What shortName() leaves out.
struct NameStyle {
  bool foldTemplateArguments = true; ///< vector<int, allocator<int> > -> vector<..>
  bool foldParameters = true;        ///< f(int, char) -> f(..); f() stays
  bool dropReturnType = true;        ///< int f<char>(char) -> f<char>(char)
  bool dropAbiTags = true;           ///< to_string[abi:cxx11](int) -> to_string(int)
};

/// A demangled name with the noise folded away. Text that doesn't look like a
/// C++ function name comes back unchanged.
std::string shortName(std::string_view demangled, const NameStyle &style = {});

/// "0x0000000100000002"
std::string functionIdText(uint64_t functionId);

} // namespace ada
