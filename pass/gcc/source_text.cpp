// Gets names from the demangler, and places from declarations.
#include "source_text.h"
#include "ada_names.h"
#include "coroutines.h"
#include "library_calls.h"
#include "objc_names.h"
#include "shared/demangle/demangle.h"

namespace ada::pass {

namespace {

/// PATH without "." and "..", which need not exist.
std::string withoutDots(const std::string &path) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = path.find('/', begin);
    end = end == std::string::npos ? path.size() : end;
    const std::string part = path.substr(begin, end - begin);
    if (part == ".." && !parts.empty())
      parts.pop_back();
    else if (!part.empty() && part != "." && part != "..")
      parts.push_back(part);
    begin = end + 1;
  }
  std::string result;
  for (const std::string &part : parts)
    result += "/" + part;
  return result.empty() ? "/" : result;
}

/// PATH as it is recorded. With -flto, a relative one is taken for one of the folder in which the linker runs.
std::string absolutePath(std::string path) {
  if (path[0] != '/')
    path = std::string(get_src_pwd()) + "/" + path;
  path = withoutDots(path);
  const std::string mapped = remap_debug_filename(path.c_str());
  return mapped == path ? remap_macro_filename(path.c_str()) : mapped;
}

/// The name of FUNCTION in the source after those of its scopes: "geo::norm::inner".
std::string scopedName(tree function, const char *separator) {
  std::string name;
  for (tree scope = DECL_ORIGIN(function); scope && TREE_CODE(scope) != TRANSLATION_UNIT_DECL;
       scope = get_containing_scope(scope)) {
    tree own = TYPE_P(scope) ? TYPE_IDENTIFIER(scope) : DECL_P(scope) ? DECL_NAME(scope) : NULL_TREE;
    if (own)
      name = IDENTIFIER_POINTER(own) + (name.empty() ? "" : separator + name);
  }
  return name;
}

/// SYMBOL without what -flto adds to the names of functions that were local to a unit ("f.lto_priv.0").
std::string withoutPrivate(std::string symbol) {
  constexpr const char *kPrivate = ".lto_priv.";
  if (const size_t begin = symbol.find(kPrivate); begin != std::string::npos) {
    const size_t end = symbol.find_first_not_of("0123456789", begin + strlen(kPrivate));
    symbol.erase(begin, end == std::string::npos ? end : end - begin);
  }
  return symbol;
}

} // namespace

tree translationUnit(tree function) {
  tree scope = function;
  while (scope && TREE_CODE(scope) != TRANSLATION_UNIT_DECL)
    scope = get_containing_scope(scope);
  return scope;
}

tree sourceFunction(tree function) {
  if (symbolName(function).find('.') ==
      std::string::npos) // constructors are copies, too: of one that is never compiled
    return function;
  const cgraph_node *node = cgraph_node::get(function);
  return node && node->former_clone_of ? node->former_clone_of : DECL_ORIGIN(function);
}

std::string symbolName(tree function) {
  const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
  return *name == '*' ? name + 1 : name;
}

bool isOfLanguage(tree function, const char *language) {
  if (!in_lto_p)
    return startswith(lang_hooks.name, language);
  tree unit = translationUnit(function);
  return unit && TRANSLATION_UNIT_LANGUAGE(unit) && startswith(TRANSLATION_UNIT_LANGUAGE(unit), language);
}

std::string unreadableName(tree function, const std::string &symbol) {
  if (std::string method = methodName(function); !method.empty())
    return method;
  std::string name;
  if (isOfLanguage(function, "GNU Ada"))
    name = adaName(symbol);
  else if (isOfLanguage(function, "GNU Fortran"))
    name = scopedName(function, "::"); // "dgemm", whose symbol is "dgemm_"
  else if (isOfLanguage(function, "GNU D") && startswith(symbol.c_str(), "_D") &&
           demangledBase(Mangling::D, symbol).empty())
    name = scopedName(function, "."); // of what libiberty can't demangle: functions in others
  return name == symbol ? "" : name;
}

std::string demangledName(tree function, const std::string &symbol) {
  const SymbolParts parts = partsOfSymbol(symbol);
  const std::string name = demangledBase(parts.mangling, parts.base);
  if (!name.empty())
    return name;
  const std::string own = unreadableName(function, symbol);
  return own.empty() ? symbol : own;
}

std::string recordedName(tree function) {
  if (const std::string part = coroutinePart(function); !part.empty())
    return part;
  const std::string symbol = symbolName(function);
  const bool isCopy = symbol.find(".constprop.") != std::string::npos || symbol.find(".isra.") != std::string::npos;
  const bool isPart = symbol.find(".part.") != std::string::npos;
  return withoutPrivate(isCopy && !isPart ? symbolName(sourceFunction(function)) : symbol);
}

std::string sourcePath(tree function) {
  const expanded_location place = expand_location(DECL_SOURCE_LOCATION(function));
  return place.file && *place.file && *place.file != '<' ? absolutePath(place.file) : "";
}

std::string unitPath(tree function) {
  if (!in_lto_p)
    return main_input_filename ? absolutePath(main_input_filename) : "";
  tree unit = translationUnit(function);
  return unit && DECL_NAME(unit) ? absolutePath(IDENTIFIER_POINTER(DECL_NAME(unit))) : "";
}

unsigned sourceLine(tree function) {
  const expanded_location place = expand_location(DECL_SOURCE_LOCATION(function));
  return place.line > 0 ? static_cast<unsigned>(place.line) : 0;
}

bool isLibraryFunction(tree function) {
  const symtab_node *node = symtab_node::get(function);
  return DECL_EXTERNAL(function) && !(node && node->in_other_partition);
}

FunctionNames namesOf(tree function) {
  const std::string part = coroutinePart(function);
  const std::string symbol = part.empty() ? withoutPrivate(symbolName(sourceFunction(function))) : part;
  const std::string name = isLibraryFunction(function) ? libraryName(function) : symbol;
  return {symbol, demangledName(function, name), "", sourcePath(function)};
}

} // namespace ada::pass
