// Gets names from the demangler, and places and types from debug information.
#include "source_text.h"
#include "coroutines.h"
#include "library_functions.h"
#include "llvm_compat.h"
#include "prefix_maps.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace llvm;

namespace ada::pass {

StringRef symbolName(const Function &function) { return GlobalValue::dropLLVMManglingEscape(function.getName()); }

static SymbolParts partsOf(StringRef symbol) { return partsOfSymbol({symbol.data(), symbol.size()}); }

Mangling manglingOf(StringRef symbol) { return partsOf(symbol).mangling; }

/// Whether all paths in a part of a Rust name begin with a crate that comes with rustc. Primitive types have no path.
static bool isOfRustsLibrary(StringRef types) {
  for (size_t at = types.find("::"); at != types.npos; at = types.find("::", at + 2)) {
    const size_t begin =
        types.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at - 1) + 1;
    const StringRef root = types.slice(at == 0 ? 0 : begin, at);
    const bool isRoot = !root.empty() && (begin < 2 || types.slice(begin - 2, begin) != "::");
    if (isRoot && root != "core" && root != "alloc" && root != "std")
      return false;
  }
  return true;
}

/// Whether Rust's library defines a function: "core::ptr::write", "<alloc::vec::Vec<app::A>>::push", "<u32 as
/// core::fmt::Debug>::fmt". The program may define one of a library's trait for a library's type only if the trait has
/// a type of the program among its own: "<u32 as core::convert::From<app::A>>::from".
static bool isRustsLibrary(StringRef name) {
  if (!name.consume_front("<"))
    return isOfRustsLibrary(name.take_front(name.find("::") + 2)) && name.contains("::");
  int nesting = 0;
  size_t as = name.npos, end = 0;
  for (; end < name.size() && nesting >= 0; ++end) {
    const bool isArrow = name[end] == '>' && end > 0 && name[end - 1] == '-';
    nesting += name[end] == '<' ? 1 : name[end] == '>' && !isArrow ? -1 : 0;
    if (nesting == 0 && name.substr(end, 4) == " as " && as == name.npos)
      as = end;
  }
  StringRef self = name.substr(0, std::min(as, end ? end - 1 : 0));
  const StringRef trait = as == name.npos ? "" : name.slice(as + 4, end - 1);
  self = self.take_front(self.find('<')); // whatever it is a Vec of
  return isOfRustsLibrary(self) && isOfRustsLibrary(trait);
}

DemangledName demangledName(StringRef symbol) {
  DemangledName name;
  // C++ is left to LLVM's own demangler, which knows most of what this compiler makes.
  const SymbolParts symbolParts = partsOf(symbol);
  if (symbolParts.mangling == Mangling::Cpp)
    name.full = demangle(symbol.str());
  if (name.full.empty() || name.full == symbol)
    name.full = demangledBase(symbolParts.mangling, symbolParts.base);
  if (name.full.empty())
    name.full = demangle(symbol.str());
  if (symbolParts.mangling == Mangling::Rust)
    name.scope = isRustsLibrary(name.full) ? "std" : "";
  ItaniumPartialDemangler parts;
  std::string mangled = symbol.str(); // PARTS points into it
  // partialDemangle returns true for failure.
  if (symbolParts.mangling != Mangling::Cpp || parts.partialDemangle(mangled.c_str()) || !parts.isFunction())
    return name;
  if (char *scope = parts.getFunctionDeclContextName(nullptr, nullptr)) {
    name.scope = scope;
    std::free(scope);
  }
  return name;
}

bool isObjectiveCName(StringRef name) { return compat::startsWith(name, "-[") || compat::startsWith(name, "+["); }

DemangledName demangledName(const Function &function) {
  const DISubprogram *subprogram = function.isDeclaration() ? nullptr : function.getSubprogram();
  const StringRef name = subprogram ? subprogram->getName() : "";
  if (isObjectiveCName(name))
    return {name.str(), ""};
  return demangledName(symbolName(function));
}

static std::string absolutePath(StringRef directory, StringRef file) {
  SmallString<256> path;
  if (!sys::path::is_absolute(file))
    path = directory;
  sys::path::append(path, file);
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return std::string(path);
}

std::string debugInfoPath(const Function &function) {
  const DISubprogram *subprogram = function.getSubprogram();
  if (!subprogram || !subprogram->getFile() || subprogram->getFilename().empty())
    return "";
  return absolutePath(subprogram->getDirectory(), subprogram->getFilename());
}

/// The path of the file that MODULE was compiled from, without what prefix maps took away.
static std::string unitPath(const Module &module) {
  const auto units = module.debug_compile_units();
  if (units.begin() != units.end() && std::next(units.begin()) == units.end())
    return absolutePath((*units.begin())->getDirectory(), (*units.begin())->getFilename());
  return mappedPath(module.getSourceFileName());
}

std::string sourcePath(const Function &function) {
  std::string path = debugInfoPath(function);
  return path.empty() ? unitPath(*function.getParent()) : path;
}

unsigned sourceLine(const Function &function) {
  const DISubprogram *subprogram = function.getSubprogram();
  return subprogram ? subprogram->getLine() : 0;
}

namespace {

/// Writes types in C++ syntax. Types may be deep (template names are plain here, so depth comes only from pointers and
/// function types) and, if the metadata is broken, cyclic: hence the limit.
class TypeWriter {
  static constexpr unsigned kMaxDepth = 24;
  unsigned depth_ = 0;

  std::string named(const DIType *type, StringRef anonymous) {
    return type->getName().empty() ? anonymous.str() : type->getName().str();
  }

public:
  std::string parameters(const DISubroutineType *type, bool skipArtificial) {
    std::string text = "(";
    DITypeRefArray types = type->getTypeArray();
    bool first = true;
    for (unsigned i = 1; i < types.size(); ++i) {
      const DIType *parameter = types[i];
      if (parameter && skipArtificial && parameter->isArtificial())
        continue;
      if (!first)
        text += ", ";
      first = false;
      // A null type after the first place stands for "...".
      text += parameter ? write(parameter) : "...";
    }
    return text + ")";
  }

  std::string result(const DISubroutineType *type) {
    DITypeRefArray types = type->getTypeArray();
    return types.size() && types[0] ? write(types[0]) : "void";
  }

  std::string write(const DIType *type) {
    if (!type)
      return "void";
    if (depth_ == kMaxDepth)
      return "...";
    ++depth_;
    std::string text = writeInner(type);
    --depth_;
    return text;
  }

private:
  static std::string pointer(std::string pointee, StringRef sign) {
    return pointee + (pointee.back() == '*' || pointee.back() == '&' ? "" : " ") + sign.str();
  }

  std::string indirection(const DIDerivedType *type, StringRef sign) {
    const DIType *target = type->getBaseType();
    if (const auto *function = dyn_cast_or_null<DISubroutineType>(target))
      return result(function) + " (" + sign.str() + ")" + parameters(function, false);
    return pointer(write(target), sign);
  }

  std::string writeInner(const DIType *type) {
    if (const auto *function = dyn_cast<DISubroutineType>(type))
      return result(function) + " " + parameters(function, false);
    if (const auto *composite = dyn_cast<DICompositeType>(type))
      return writeComposite(composite);
    const auto *derived = dyn_cast<DIDerivedType>(type);
    if (!derived)
      return named(type, "void");
    switch (derived->getTag()) {
    case dwarf::DW_TAG_pointer_type:
      return indirection(derived, "*");
    case dwarf::DW_TAG_reference_type:
      return indirection(derived, "&");
    case dwarf::DW_TAG_rvalue_reference_type:
      return indirection(derived, "&&");
    case dwarf::DW_TAG_const_type:
      return qualified(derived, "const");
    case dwarf::DW_TAG_volatile_type:
      return qualified(derived, "volatile");
    case dwarf::DW_TAG_restrict_type:
      return write(derived->getBaseType()) + " restrict";
    case dwarf::DW_TAG_atomic_type:
      return "_Atomic(" + write(derived->getBaseType()) + ")";
    case dwarf::DW_TAG_ptr_to_member_type: {
      std::string owner = write(cast_or_null<DIType>(derived->getClassType()));
      if (const auto *function = dyn_cast_or_null<DISubroutineType>(derived->getBaseType()))
        return result(function) + " (" + owner + "::*)" + parameters(function, true);
      return write(derived->getBaseType()) + " " + owner + "::*";
    }
    default:
      return derived->getName().empty() ? write(derived->getBaseType()) : derived->getName().str();
    }
  }

  /// "const char *" for a const char, but "char *const" for a const pointer.
  std::string qualified(const DIDerivedType *type, StringRef word) {
    std::string inner = write(type->getBaseType());
    bool isIndirect = inner.back() == '*' || inner.back() == '&' || inner.back() == ')';
    return isIndirect ? inner + word.str() : word.str() + " " + inner;
  }

  std::string writeComposite(const DICompositeType *type) {
    switch (type->getTag()) {
    case dwarf::DW_TAG_array_type: {
      std::string text = write(type->getBaseType());
      for (const DINode *element : type->getElements()) {
        const auto *range = dyn_cast<DISubrange>(element);
        const ConstantInt *count = range ? compat::constantCount(*range) : nullptr;
        text += count && count->getSExtValue() >= 0 ? "[" + std::to_string(count->getSExtValue()) + "]" : "[]";
      }
      return text;
    }
    case dwarf::DW_TAG_enumeration_type:
      return named(type, "(anonymous enum)");
    case dwarf::DW_TAG_union_type:
      return named(type, "(anonymous union)");
    default:
      return named(type, "(anonymous struct)");
    }
  }
};

} // namespace

std::string signatureText(const Function &function) {
  if (isCoroutinePart(function))
    return "void (void *)";
  const Function *callee = wrappedCallee(function);
  const DISubprogram *subprogram = (callee ? callee : &function)->getSubprogram();
  const DISubroutineType *type = subprogram ? subprogram->getType() : nullptr;
  if (!type || !type->getTypeArray().size()) {
    const Prototype *prototype = callee ? findPrototype(*callee) : nullptr;
    return prototype ? prototype->signature() : "";
  }
  TypeWriter writer;
  return writer.result(type) + " " + writer.parameters(type, /*skipArtificial=*/true);
}

} // namespace ada::pass
