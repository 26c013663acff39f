// Symbols of a manifest, and what they say about functions of a trace.
#pragma once

#include "ada/trace/manifest.h"
#include "ada/trace/model.h"

#include <optional>
#include <vector>

namespace ada::atf {

/// The fields of an element of `symbols`.
struct SymbolIds {
  std::optional<uint64_t> functionId, moduleId, symbolIndex;
  /// The function's id; nothing if none of the fields has it.
  std::optional<uint64_t> id() const;
};
struct SymbolEntry : Symbol {
  SymbolIds ids;
  std::string_view kindName;
  bool isNoreturn = false;
};

/// Sets `original` of the inlined copies: the function with the same name and place in the same module. If the linker
/// dropped that function, the first copy stands for all.
void findOriginals(std::vector<Symbol> &symbols);

/// Sets everything that the symbol says about a function, except for its display name; and the reverse.
void describe(model::Function &function, const Symbol &symbol);
SymbolEntry entryOf(const model::Function &function);

} // namespace ada::atf
