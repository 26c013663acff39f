// Recognises how a symbol is mangled, and asks the demangler of that language.
#include "shared/demangle/demangle.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#ifdef ADA_LIBIBERTY
#include <libiberty/demangle.h>
#endif

namespace ada {

static bool beginsWith(std::string_view text, std::string_view word) { return text.substr(0, word.size()) == word; }

// The length of a name in Rust's legacy mangling: to the E after its last part, a hash: "17h", 16 digits, "E". 0 for
// other names. A C++ name can end like that only if it is a variable's; a function's goes on with its parameters.
static size_t legacyRustLength(std::string_view symbol) {
  constexpr std::string_view mark = "17h";
  constexpr size_t digits = 16;
  for (size_t at = symbol.find(mark); at != symbol.npos; at = symbol.find(mark, at + 1)) {
    const size_t end = at + mark.size() + digits;
    const std::string_view hash = symbol.substr(at + mark.size(), digits);
    if (end < symbol.size() && symbol[end] == 'E' && hash.find_first_not_of("0123456789abcdef") == hash.npos &&
        (end + 1 == symbol.size() || symbol[end + 1] == '.'))
      return end + 1;
  }
  return 0;
}

SymbolParts partsOfSymbol(std::string_view symbol) {
  std::string_view mangled = symbol;
  while (beginsWith(mangled, "__Z") || beginsWith(mangled, "___Z") || beginsWith(mangled, "__R"))
    mangled.remove_prefix(1); // macOS puts an underscore before every name
  // Except in Rust's legacy mangling, the first dot starts what was appended.
  auto parts = [&](Mangling mangling, size_t length) {
    length = std::min(length, mangled.size());
    return SymbolParts{mangling, mangled.substr(0, length), mangled.substr(length)};
  };
  if (beginsWith(mangled, "_ZN"))
    if (const size_t length = legacyRustLength(mangled))
      return parts(Mangling::Rust, length);
  if (beginsWith(mangled, "_Z"))
    return parts(Mangling::Cpp, mangled.find('.'));
  if (beginsWith(mangled, "_R"))
    return parts(Mangling::Rust, mangled.find('.'));
  if (beginsWith(mangled, "_QM") || beginsWith(mangled, "_QF") || beginsWith(mangled, "_QP"))
    return parts(Mangling::Flang, mangled.find('.'));
  if (beginsWith(mangled, "_D"))
    return parts(Mangling::D, mangled.find('.'));
  return {Mangling::None, symbol, {}};
}

// "shapes::area" of "_QMshapesParea": a capital letter says what the name after it is, which has none. M, S and F:
// module, submodule and procedure around it; P: the procedure.
static std::string demangledFlang(std::string_view symbol) {
  std::string name;
  for (size_t at = 2; at < symbol.size();) {
    const char kind = symbol[at];
    const size_t begin = at + 1;
    at = std::min(symbol.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", begin), symbol.size());
    if (at == begin || (kind != 'M' && kind != 'S' && kind != 'F' && kind != 'P'))
      return "";
    name += (name.empty() ? "" : "::") + std::string(symbol.substr(begin, at - begin));
    if (kind == 'P')
      return at == symbol.size() ? name : "";
  }
  return "";
}

#ifdef ADA_LIBIBERTY
// SYMBOL with each _BitInt (DB<bits>_, DU<bits>_) as a type of a vendor, which libiberty knows. Both count as
// substitutions. What looks the same in an identifier, which its length precedes, stays.
static std::string withVendorBitInts(std::string_view symbol) {
  const auto digitsAt = [&](size_t at) {
    const size_t end = symbol.find_first_not_of("0123456789", at);
    return symbol.substr(at, std::min(end, symbol.size()) - at);
  };
  std::string text;
  for (size_t at = 0; at < symbol.size();) {
    const std::string_view length = digitsAt(at), bits = digitsAt(std::min(at + 2, symbol.size()));
    const bool isBitInt = (symbol.substr(at, 2) == "DB" || symbol.substr(at, 2) == "DU") && !bits.empty() &&
                          symbol.substr(at + 2 + bits.size(), 1) == "_";
    if (isBitInt) {
      const std::string name = (symbol[at + 1] == 'U' ? "unsigned _BitInt(" : "_BitInt(") + std::string(bits) + ")";
      text += "u" + std::to_string(name.size()) + name;
      at += 3 + bits.size();
      continue;
    }
    // Other numbers end with "_" or "E".
    const size_t end = at + length.size();
    const bool isName =
        !length.empty() && length.size() < 6 && end < symbol.size() && symbol[end] != 'E' &&
        (symbol[end] != '_' || at == 0 || std::string_view("ASTvpfLBUF").find(symbol[at - 1]) == symbol.npos);
    const size_t taken = isName           ? length.size() + static_cast<size_t>(std::stoul(std::string(length)))
                         : length.empty() ? 1
                                          : length.size();
    text += symbol.substr(at, taken);
    at += taken;
  }
  return text;
}
#endif

// libstdc++'s own function has the age of the compiler, and takes newer types for others.
static char *demangledCpp(const std::string &symbol) {
#ifdef ADA_LIBIBERTY
  constexpr int kOptions = DMGL_PARAMS | DMGL_ANSI;
  char *text = cplus_demangle_v3(symbol.c_str(), kOptions);
  return text ? text : cplus_demangle_v3(withVendorBitInts(symbol).c_str(), kOptions);
#else
  int status = 0;
  return symbol.find("DF16b") == symbol.npos ? abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status) : nullptr;
#endif
}

std::string demangledBase(Mangling mangling, std::string_view base) {
  const std::string symbol(base);
  char *text = nullptr;
  switch (mangling) {
  case Mangling::None:
    break;
  case Mangling::Flang:
    return demangledFlang(base);
  case Mangling::Cpp:
    text = demangledCpp(symbol);
    break;
#ifdef ADA_LIBIBERTY
  case Mangling::Rust:
    text = rust_demangle(symbol.c_str(), DMGL_PARAMS | DMGL_ANSI);
    break;
  case Mangling::D:
    text = dlang_demangle(symbol.c_str(), DMGL_PARAMS | DMGL_ANSI);
    break;
#else
  default:
    break;
#endif
  }
  std::string name = text ? text : "";
  std::free(text);
  return name;
}

} // namespace ada
