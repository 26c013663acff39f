// Symbols of a manifest, and what they say about functions of a trace.
#include "formats/native/manifest/symbol_entries.h"
#include "ada/trace/event.h"

#include <map>
#include <tuple>

namespace ada::atf {

std::optional<uint64_t> SymbolIds::id() const {
  if (!functionId && moduleId && symbolIndex && *moduleId <= UINT32_MAX && *symbolIndex <= UINT32_MAX)
    return makeFunctionId(static_cast<uint32_t>(*moduleId), static_cast<uint32_t>(*symbolIndex));
  return functionId;
}

void findOriginals(std::vector<Symbol> &symbols) {
  using Place = std::tuple<uint32_t, std::string_view, std::string_view, uint64_t>;
  const auto placeOf = [](const Symbol &symbol) {
    return Place(moduleOf(symbol.functionId), symbol.name, symbol.file, symbol.line);
  };
  std::map<Place, uint64_t> known;
  for (const bool areCopies : {true, false}) // the function itself, if it is there, replaces a copy
    for (const Symbol &symbol : symbols)
      if (symbol.isInlined == areCopies)
        if (const auto [at, isNew] = known.try_emplace(placeOf(symbol), symbol.functionId); !areCopies && !isNew)
          at->second = symbol.functionId;
  for (Symbol &symbol : symbols)
    if (symbol.isInlined)
      symbol.original = known.at(placeOf(symbol));
}

void describe(model::Function &function, const Symbol &symbol) {
  function.name = symbol.name;
  function.file = symbol.file, function.line = symbol.line;
  function.signature = symbol.signature, function.types = symbol.types;
  function.address = symbol.address;
  function.kind = symbol.kind;
  function.isExternal = symbol.isExternal;
  function.isRenamed = !symbol.displayName.empty();
  function.isCoroutine = symbol.isCoroutine;
  function.isInlined = symbol.isInlined, function.original = symbol.original;
}

SymbolEntry entryOf(const model::Function &function) {
  SymbolEntry entry;
  entry.ids = {function.id, moduleOf(function.id), symbolOf(function.id)};
  entry.name = function.name.empty() ? function.displayName : function.name;
  if (function.isRenamed)
    entry.displayName = function.displayName;
  entry.file = function.file, entry.line = function.line;
  entry.signature = function.signature, entry.types = function.types;
  entry.address = function.address;
  if (function.kind != SymbolKind::Function)
    entry.kindName = kindName(function.kind);
  entry.isExternal = function.isExternal;
  entry.isCoroutine = function.isCoroutine, entry.isInlined = function.isInlined;
  return entry;
}

} // namespace ada::atf
